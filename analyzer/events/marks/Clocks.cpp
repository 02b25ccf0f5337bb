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

/// The operator call `left - right`, or null.
static const CXXOperatorCallExpr *asDifference(const Stmt *statement) {
  const auto *operation = dyn_cast<CXXOperatorCallExpr>(statement);
  return operation && operation->getOperator() == OO_Minus && operation->getNumArgs() == 2
             ? operation
             : nullptr;
}

/// What is taken from \p variable in \p statement, if that is a variable, too.
static const VarDecl *takenFrom(const VarDecl &variable, const Stmt &statement) {
  if (const CXXOperatorCallExpr *difference = asDifference(&statement);
      difference && variableOf(difference->getArg(0)) == &variable)
    return variableOf(difference->getArg(1));
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
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(outer);
    if (const auto *declaration = dyn_cast<DeclStmt>(outer)) {
      reading.variable =
          declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
      break;
    }
    if (asDifference(outer) && inner == operation->getArg(0)) {
      reading.since = variableOf(operation->getArg(1));
      return reading;
    }
    if (operation && operation->getOperator() == OO_Equal) {
      reading.variable = variableOf(operation->getArg(0));
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
