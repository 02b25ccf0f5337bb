#include "BestValues.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"

using namespace clang;

namespace gradtidy {

/// The variable or member that \p expr names, or null.
static const ValueDecl *named(const Expr *expr) {
  expr = strip(expr);
  if (const auto *reference = dyn_cast<DeclRefExpr>(expr))
    return reference->getDecl();
  const auto *member = dyn_cast<MemberExpr>(expr);
  return member ? member->getMemberDecl() : nullptr;
}

/// Whether \p statement gives the number \p best the value of \p other.
static bool replaces(const Stmt *statement, const ValueDecl *best, const ValueDecl *other) {
  if (const auto *assignment = dyn_cast<BinaryOperator>(statement);
      assignment && assignment->getOpcode() == BO_Assign && named(assignment->getLHS()) == best)
    return named(assignment->getRHS()) == other;
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return child && replaces(child, best, other); });
}

/// Whether \p condition compares two numbers, of which \p branch replaces one by the other.
static bool keepsBetter(const Stmt *condition, const Stmt *branch) {
  const auto *comparison = dyn_cast<BinaryOperator>(condition);
  if (!comparison || !comparison->isRelationalOp())
    return llvm::any_of(condition->children(),
                        [&](const Stmt *child) { return child && keepsBetter(child, branch); });
  const ValueDecl *left = named(comparison->getLHS()), *right = named(comparison->getRHS());
  return left && right && (replaces(branch, left, right) || replaces(branch, right, left));
}

bool isOfBest(const Stmt &site, const FunctionCode &function) {
  const Stmt *inner = &site;
  for (const Stmt *around = function.statementAround(inner); around;
       inner = around, around = function.statementAround(inner))
    if (const auto *branch = dyn_cast<IfStmt>(around);
        branch && branch->getThen() == inner && keepsBetter(branch->getCond(), inner))
      return true;
  return false;
}

} // namespace gradtidy
