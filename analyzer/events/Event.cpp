#include "Event.h"

#include "Typing.h"

#include "clang/AST/DeclTemplate.h"
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

/// Whether what is cast is only read.
static bool isRead(const clang::ImplicitCastExpr &cast) {
  return cast.getCastKind() == clang::CK_LValueToRValue ||
         (cast.getCastKind() == clang::CK_NoOp && cast.getType().isConstQualified());
}

static const clang::ValueDecl *namedBy(const clang::Stmt *statement) {
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(statement)) {
    const auto *part = llvm::dyn_cast<clang::BindingDecl>(reference->getDecl());
    return part ? part->getDecomposedDecl() : reference->getDecl();
  }
  const auto *member = llvm::dyn_cast<clang::MemberExpr>(statement);
  return member ? llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
}

/// Whether the function passes its argument on as it gets it, whatever that is: `save(value,
/// name)`. What the standard library gives back to be moved is another matter.
static bool passesOn(const clang::FunctionDecl &callee, unsigned index) {
  const clang::FunctionTemplateDecl *primary = callee.getPrimaryTemplate();
  const bool isCast = callee.isInStdNamespace() && callee.getReturnType()->isReferenceType();
  if (!primary || isCast)
    return false;
  const clang::FunctionDecl *pattern = primary->getTemplatedDecl();
  if (pattern->getNumParams() == 0)
    return false;
  const clang::ParmVarDecl *parameter =
      pattern->getParamDecl(std::min(index, pattern->getNumParams() - 1));
  clang::QualType type = parameter->getType();
  if (const auto *pack = type->getAs<clang::PackExpansionType>())
    type = pack->getPattern();
  return type->isRValueReferenceType() && type.getNonReferenceType()->isTemplateTypeParmType() &&
         !type->getPointeeType().hasQualifiers();
}

static bool mayChangeIn(const clang::ValueDecl &entity, const clang::Stmt *statement) {
  if (!statement)
    return false;
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(statement);
      call && call->getDirectCallee() && !llvm::isa<clang::CXXOperatorCallExpr>(call)) {
    const clang::FunctionDecl &callee = *call->getDirectCallee();
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      const clang::Expr *argument = call->getArg(i)->IgnoreParenImpCasts();
      const bool isPassedOn = llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(argument) &&
                              namedBy(argument) && passesOn(callee, i);
      if (!isPassedOn && mayChangeIn(entity, call->getArg(i)))
        return true;
    }
    return mayChangeIn(entity, call->getCallee());
  }
  if (const auto *cast = llvm::dyn_cast<clang::ImplicitCastExpr>(statement);
      cast && isRead(*cast)) {
    // Of what is read, all that leads to it is.
    const clang::Expr *inner = cast->getSubExpr()->IgnoreParenImpCasts();
    while (const auto *member = llvm::dyn_cast<clang::MemberExpr>(inner))
      inner = member->getBase()->IgnoreParenImpCasts();
    return !llvm::isa<clang::DeclRefExpr, clang::CXXThisExpr>(inner) && mayChangeIn(entity, inner);
  }
  const clang::ValueDecl *named = namedBy(statement);
  if (named && named->getCanonicalDecl() == entity.getCanonicalDecl())
    return !llvm::cast<clang::Expr>(statement)->getType().isConstQualified();
  return llvm::any_of(statement->children(),
                      [&](const clang::Stmt *child) { return mayChangeIn(entity, child); });
}

bool FunctionBody::mayChange(const clang::ValueDecl &entity, const clang::Stmt *within) const {
  return mayChangeIn(entity, within);
}

static void collectNamed(const clang::Stmt *statement,
                         llvm::SmallVectorImpl<const clang::ValueDecl *> &found) {
  if (!statement)
    return;
  if (const clang::ValueDecl *named = namedBy(statement);
      named && (llvm::isa<clang::FieldDecl>(named) || llvm::isa<clang::VarDecl>(named)))
    found.push_back(named);
  for (const clang::Stmt *child : statement->children())
    collectNamed(child, found);
}

llvm::SmallVector<const clang::ValueDecl *, 4>
FunctionBody::namedIn(const clang::Stmt *expr) const {
  llvm::SmallVector<const clang::ValueDecl *, 4> found;
  collectNamed(expr, found);
  return found;
}

const clang::CompoundStmt *FunctionBody::compoundOf(const clang::Stmt *statement) const {
  return llvm::dyn_cast_or_null<clang::CompoundStmt>(parentOf(statement));
}

} // namespace gradtidy
