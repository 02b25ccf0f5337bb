#include "Clocks.h"

#include "analyzer/events/Event.h"
#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

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

/// Whether nothing comes of \p number: it gets no further than variables that nothing reads.
static bool isIdle(const Stmt &number, const FunctionCode &function, unsigned depth = 0) {
  const Stmt *outer = function.statementAround(&number);
  for (; isa_and_nonnull<Expr>(outer); outer = function.statementAround(outer))
    if (const auto *call = dyn_cast<CallExpr>(outer);
        call && !(call->getDirectCallee() && isStandard(call->getDirectCallee())))
      return false;
  const auto *declaration = dyn_cast_or_null<DeclStmt>(outer);
  const auto *variable = declaration && declaration->isSingleDecl()
                             ? dyn_cast<VarDecl>(declaration->getSingleDecl())
                             : nullptr;
  if (!variable || depth > 4)
    return false;
  bool isRead = false;
  forEach(function.body, [&](const Stmt *part) {
    const auto *reference = dyn_cast<DeclRefExpr>(part);
    isRead |=
        reference && reference->getDecl() == variable && !isIdle(*reference, function, depth + 1);
  });
  return !isRead;
}

/// What is taken from \p variable in \p statement, if that is a variable, too, and something comes
/// of it.
static const VarDecl *takenFrom(const VarDecl &variable, const Stmt &statement,
                                const FunctionCode &function) {
  if (const Operands difference = operandsOf(&statement, OO_Minus, BO_Sub);
      difference.left && variableOf(originalOf(difference.left)) == &variable)
    return isIdle(statement, function) ? nullptr : variableOf(originalOf(difference.right));
  for (const Stmt *child : statement.children())
    if (const VarDecl *found = child ? takenFrom(variable, *child, function) : nullptr)
      return found;
  return nullptr;
}

Reading readingOf(const CallExpr &now, const FunctionCode &function) {
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
      reading.since = isIdle(*outer, function) ? nullptr : variableOf(originalOf(difference.right));
      return reading;
    }
    if (const Operands assigned = operandsOf(outer, OO_Equal, BO_Assign); assigned.left) {
      reading.variable = variableOf(originalOf(assigned.left));
      break;
    }
    const auto *copy = dyn_cast<CXXConstructExpr>(outer);
    if (!isa<CastExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(outer) &&
        !(copy && copy->getNumArgs() == 1))
      break;
  }
  if (reading.variable)
    reading.since = takenFrom(*reading.variable, *function.body, function);
  return reading;
}

} // namespace gradtidy
