#include "Event.h"

#include "Typing.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMap.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/StmtCXX.h"

namespace gradtidy {

FunctionBody::FunctionBody(const clang::FunctionDecl *function, const clang::Stmt *body)
    : function(function), body(body) {}

FunctionBody::~FunctionBody() = default;

const clang::Stmt *FunctionBody::parentOf(const clang::Stmt *statement) const {
  if (!parents)
    parents = std::make_unique<clang::ParentMap>(const_cast<clang::Stmt *>(body));
  return parents->getParent(const_cast<clang::Stmt *>(statement));
}

const clang::Expr *FunctionBody::fullExpressionOf(const clang::Stmt *site) const {
  const clang::Expr *whole = nullptr;
  for (const auto *expr = llvm::dyn_cast_or_null<clang::Expr>(site); expr;
       expr = llvm::dyn_cast_or_null<clang::Expr>(parentOf(expr)))
    whole = expr;
  return whole;
}

const clang::Expr *FunctionBody::expressionStatementOf(const clang::Stmt *site) const {
  const clang::Expr *whole = fullExpressionOf(site);
  return whole && compoundOf(whole) ? whole : nullptr;
}

const clang::Stmt *FunctionBody::statementOf(const clang::Stmt *site) const {
  const clang::Expr *whole = fullExpressionOf(site);
  if (!whole)
    return site;
  const clang::Stmt *parent = parentOf(whole);
  return llvm::isa_and_nonnull<clang::DeclStmt, clang::ReturnStmt>(parent) ? parent : whole;
}

static bool isLoop(const clang::Stmt *statement) {
  return llvm::isa<clang::ForStmt, clang::CXXForRangeStmt, clang::WhileStmt, clang::DoStmt>(
      statement);
}

/// `do { … } while (false)`, as macros are written.
static bool runsOnce(const clang::Stmt *loop) {
  const auto *once = llvm::dyn_cast<clang::DoStmt>(loop);
  const clang::Expr *again = once ? once->getCond()->IgnoreParenCasts() : nullptr;
  const auto *truth = llvm::dyn_cast_or_null<clang::CXXBoolLiteralExpr>(again);
  const auto *number = llvm::dyn_cast_or_null<clang::IntegerLiteral>(again);
  return (truth && !truth->getValue()) || (number && number->getValue() == 0);
}

llvm::SmallVector<const clang::Stmt *, 4> FunctionBody::loopsAround(const clang::Stmt *site) const {
  llvm::SmallVector<const clang::Stmt *, 4> loops;
  for (const clang::Stmt *statement = parentOf(site); statement; statement = parentOf(statement))
    if (isLoop(statement) && !runsOnce(statement))
      loops.push_back(statement);
  return loops;
}

/// Whether \p statement may leave the function, or the round of the loop it stands in.
static bool mayLeave(const clang::Stmt *statement, bool isInSwitch = false, bool isInLoop = false) {
  if (!statement || llvm::isa<clang::LambdaExpr>(statement))
    return false;
  if (llvm::isa<clang::BreakStmt>(statement))
    return !isInSwitch && !isInLoop;
  if (llvm::isa<clang::ContinueStmt>(statement))
    return !isInLoop;
  if (llvm::isa<clang::ReturnStmt, clang::CXXThrowExpr>(statement))
    return true;
  isInSwitch |= llvm::isa<clang::SwitchStmt>(statement);
  isInLoop |= isLoop(statement);
  return llvm::any_of(statement->children(), [&](const clang::Stmt *child) {
    return mayLeave(child, isInSwitch, isInLoop);
  });
}

/// Whether \p outer runs \p inner, a child of it, only for what it asks.
static bool isBranch(const clang::Stmt *outer, const clang::Stmt *inner) {
  if (const auto *choice = llvm::dyn_cast<clang::IfStmt>(outer))
    return !choice->isConstexpr() && inner != choice->getCond() && inner != choice->getInit();
  if (const auto *choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(outer))
    return inner != choice->getCond();
  if (const auto *both = llvm::dyn_cast<clang::BinaryOperator>(outer))
    return both->isLogicalOp() && inner == both->getRHS();
  return llvm::isa<clang::SwitchStmt, clang::CXXCatchStmt>(outer);
}

bool FunctionBody::isInBranch(const clang::Stmt *site) const {
  const clang::Stmt *inner = site;
  for (const clang::Stmt *outer = parentOf(site); outer; outer = parentOf(inner = outer))
    if (isBranch(outer, inner))
      return true;
  return false;
}

/// Whether \p site, within \p within, is in a branch, or behind a statement that \p mayLeave.
template <typename Parent, typename Leave>
static bool isConditional(const clang::Stmt *site, const clang::Stmt *within, Parent parentOf,
                          Leave mayLeave) {
  const clang::Stmt *inner = site;
  for (const clang::Stmt *outer = parentOf(site); outer != within;
       outer = parentOf(inner = outer)) {
    if (isBranch(outer, inner))
      return true;
    if (llvm::isa<clang::CompoundStmt>(outer))
      for (const clang::Stmt *before : outer->children()) {
        if (before == inner)
          break;
        if (mayLeave(before))
          return true;
      }
  }
  return false;
}

bool FunctionBody::isConditional(const clang::Stmt *site, const clang::Stmt *within) const {
  return gradtidy::isConditional(
      site, within, [this](const clang::Stmt *inner) { return parentOf(inner); },
      [](const clang::Stmt *before) { return mayLeave(before); });
}

/// Whether \p statement may go on with the next round of the loop it stands in or, if that does not
/// matter, return.
static bool goesOn(const clang::Stmt *statement, bool isOfLoop, bool isInLoop = false) {
  if (!statement || llvm::isa<clang::LambdaExpr>(statement))
    return false;
  if (llvm::isa<clang::ContinueStmt>(statement))
    return !isInLoop;
  if (llvm::isa<clang::ReturnStmt>(statement))
    return !isOfLoop;
  isInLoop |= isLoop(statement);
  return llvm::any_of(statement->children(),
                      [&](const clang::Stmt *child) { return goesOn(child, isOfLoop, isInLoop); });
}

bool FunctionBody::isLeftOut(const clang::Stmt *site, const clang::Stmt *within) const {
  return gradtidy::isConditional(
      site, within, [this](const clang::Stmt *inner) { return parentOf(inner); },
      [&](const clang::Stmt *before) { return goesOn(before, within != nullptr); });
}

static void collectMentions(const clang::Stmt *statement,
                            llvm::DenseSet<const clang::Decl *> &mentioned) {
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(statement))
    mentioned.insert(reference->getDecl());
  for (const clang::Stmt *child : statement->children())
    if (child)
      collectMentions(child, mentioned);
}

bool FunctionBody::mentions(const clang::VarDecl &variable) const {
  if (!mentioned)
    collectMentions(body, mentioned.emplace());
  return mentioned->contains(&variable);
}

const clang::CompoundStmt *FunctionBody::compoundOf(const clang::Stmt *statement) const {
  return llvm::dyn_cast_or_null<clang::CompoundStmt>(parentOf(statement));
}

} // namespace gradtidy
