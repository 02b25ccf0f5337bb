#include "Coverages.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace gradtidy {

using namespace clang;

/// Whether \p part names \p variable.
static bool names(const Stmt *part, const VarDecl *variable) {
  if (!part)
    return false;
  if (const auto *reference = dyn_cast<DeclRefExpr>(part))
    return reference->getDecl() == variable;
  return llvm::any_of(part->children(), [&](const Stmt *child) { return names(child, variable); });
}

/// The variable of which \p view, a chain of calls, is a view; null if it is none.
static const VarDecl *baseOf(const Expr &view) {
  const Expr *base = strip(&view);
  while (const auto *call = dyn_cast<CallExpr>(base)) {
    const Expr *object = objectOf(call);
    if (!object)
      return nullptr;
    base = strip(object);
  }
  const auto *reference = dyn_cast<DeclRefExpr>(base);
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

/// Whether \p write stands in one branch of a choice within \p loop of which there is no other.
static bool isLeftOut(const CallExpr &write, const Stmt *loop, const FunctionCode &function) {
  for (const Stmt *outer = function.statementAround(&write); outer && outer != loop;
       outer = function.statementAround(outer))
    if (const auto *choice = dyn_cast<IfStmt>(outer))
      return !choice->getElse();
  return function.isConditional(&write, loop);
}

Coverage coverageOf(const Expr &view, const CallExpr &write, const FunctionCode &function) {
  const VarDecl *base = baseOf(view);
  for (const Stmt *loop : function.loopsAround(&write)) {
    if (!base)
      break;
    const SourceRange range = loop->getSourceRange();
    if (range.getBegin() < base->getLocation() && base->getLocation() < range.getEnd())
      break; // It is another tensor in each round.
    const auto *each = dyn_cast<CXXForRangeStmt>(loop);
    if ((each && names(&view, each->getLoopVariable())) || isLeftOut(write, loop, function))
      return Coverage::Some;
  }
  return Coverage::Part;
}

} // namespace gradtidy
