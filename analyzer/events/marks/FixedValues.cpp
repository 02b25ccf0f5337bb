#include "FixedValues.h"

#include "analyzer/events/Conditions.h"
#include "analyzer/events/idioms/ModeConditions.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

namespace gradtidy {

using namespace clang;

/// Whether nothing but constructors changes the member, as all of its class shows.
static bool isFixedMember(const FieldDecl &field, const FunctionCode &function) {
  if (field.getType().isConstQualified())
    return true;
  const auto *record = dyn_cast<CXXRecordDecl>(field.getParent());
  return record && !field.isMutable() && field.getAccess() == AS_private && !record->hasFriends() &&
         isLeftAlone(*function.map.symbol(&field));
}

/// Whether the variable is a number that is older than a loop around \p site and never changes.
static bool outlivesLoop(const VarDecl &variable, const Stmt &site, const FunctionCode &function) {
  const QualType type = variable.getType().getNonReferenceType();
  const bool isOwn = !variable.getType()->isReferenceType() || type.isConstQualified();
  if (!type->isArithmeticType() || !variable.isLocalVarDeclOrParm() || !isOwn ||
      !isOnlyRead(function.body, &variable))
    return false;
  const SourceManager &sources = variable.getASTContext().getSourceManager();
  return llvm::any_of(function.loopsAround(&site), [&](const Stmt *loop) {
    const SourceLocation begin = sources.getExpansionLoc(loop->getBeginLoc());
    return sources.isBeforeInTranslationUnit(sources.getExpansionLoc(variable.getLocation()),
                                             begin);
  });
}

static bool isFixed(const Stmt *value, const Stmt &site, const FunctionCode &function) {
  if (!value)
    return true;
  if (const auto *reference = dyn_cast<DeclRefExpr>(value))
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      return variable->isConstexpr() ||
             (variable->hasGlobalStorage() && variable->getType().isConstQualified()) ||
             outlivesLoop(*variable, site, function);
  if (const auto *member = dyn_cast<MemberExpr>(value)) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    return field && isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) &&
           isFixedMember(*field, function);
  }
  if (const auto *call = dyn_cast<CallExpr>(value)) { // `std::log(2.0)`, not `rand()`.
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee || call->getNumArgs() == 0 || !(callee->isConstexpr() || isStandard(callee)))
      return false;
  }
  return !isa<CXXThisExpr, LambdaExpr>(value) &&
         llvm::all_of(value->children(),
                      [&](const Stmt *child) { return isFixed(child, site, function); });
}

bool isFixedValue(const Expr &value, const Stmt &site, const FunctionCode &function) {
  return isFixed(&value, site, function);
}

} // namespace gradtidy
