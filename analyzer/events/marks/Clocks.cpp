#include "Clocks.h"

#include "analyzer/events/Event.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

static const VarDecl *variableOf(const Expr *expr) {
  expr = strip(expr);
  while (const auto *copy = dyn_cast<CXXConstructExpr>(expr)) {
    if (copy->getNumArgs() != 1)
      return nullptr;
    expr = strip(copy->getArg(0));
  }
  const auto *reference = dyn_cast<DeclRefExpr>(expr);
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

struct Operands {
  const Expr *left = nullptr, *right = nullptr; ///< Null if it is another operation.
};

/// Of `left - right` or `left = right`, of times of a class or of plain numbers.
static Operands operandsOf(const Stmt *statement, OverloadedOperatorKind overloaded,
                           BinaryOperatorKind builtin) {
  if (const auto *operation = dyn_cast<BinaryOperator>(statement);
      operation && operation->getOpcode() == builtin)
    return {operation->getLHS(), operation->getRHS()};
  const auto *operation = dyn_cast<CXXOperatorCallExpr>(statement);
  return operation && operation->getOperator() == overloaded && operation->getNumArgs() == 2
             ? Operands{operation->getArg(0), operation->getArg(1)}
             : Operands{};
}

/// What is taken from \p variable in \p statement, if that is a variable, too.
static const VarDecl *takenFrom(const VarDecl &variable, const Stmt &statement) {
  if (const Operands difference = operandsOf(&statement, OO_Minus, BO_Sub);
      difference.left && variableOf(difference.left) == &variable)
    return variableOf(difference.right);
  for (const Stmt *child : statement.children())
    if (const VarDecl *found = child ? takenFrom(variable, *child) : nullptr)
      return found;
  return nullptr;
}

Reading readingOf(const CallExpr &now, const FunctionBody &function) {
  Reading reading;
  const Stmt *inner = &now;
  for (const Stmt *outer = function.statementAround(inner); outer;
       outer = function.statementAround(inner = outer)) {
    if (const auto *declaration = dyn_cast<DeclStmt>(outer)) {
      reading.variable =
          declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
      break;
    }
    const Operands difference = operandsOf(outer, OO_Minus, BO_Sub);
    if (difference.left == inner) {
      reading.since = variableOf(difference.right);
      return reading;
    }
    if (const Operands assigned = operandsOf(outer, OO_Equal, BO_Assign); assigned.left) {
      reading.variable = variableOf(assigned.left);
      break;
    }
    const auto *copy = dyn_cast<CXXConstructExpr>(outer);
    if (!isa<CastExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(outer) &&
        !(copy && copy->getNumArgs() == 1))
      break;
  }
  if (reading.variable)
    reading.since = takenFrom(*reading.variable, *function.body);
  return reading;
}

} // namespace gradtidy
