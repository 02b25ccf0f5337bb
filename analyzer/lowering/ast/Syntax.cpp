#include "Syntax.h"

#include "Values.h"

using namespace clang;

namespace gradtidy {

Entity canonical(const ValueDecl *declaration) {
  if (const auto *binding = dyn_cast<BindingDecl>(declaration))
    declaration = binding->getDecomposedDecl();
  return declaration ? cast<ValueDecl>(declaration->getCanonicalDecl()) : nullptr;
}

Entity entityOf(const Expr *expr) {
  if (const auto *reference = dyn_cast<DeclRefExpr>(expr))
    return isa<VarDecl, BindingDecl>(reference->getDecl()) ? reference->getDecl() : nullptr;
  const auto *member = dyn_cast<MemberExpr>(expr);
  const auto *field = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
  return field ? canonical(field) : nullptr;
}

const VarDecl *variableOf(const Expr *expr) {
  const auto *reference = dyn_cast<DeclRefExpr>(strip(expr));
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

void forEach(const Stmt *root, llvm::function_ref<void(const Stmt *)> visit) {
  if (!root)
    return;
  visit(root);
  for (const Stmt *child : root->children())
    forEach(child, visit);
}

std::optional<Assigned> asAssignment(const Expr *expr) {
  if (const auto *operation = dyn_cast<BinaryOperator>(expr);
      operation && operation->getOpcode() == BO_Assign)
    return Assigned{operation->getLHS(), operation->getRHS()};
  if (const auto *call = dyn_cast<CXXOperatorCallExpr>(expr);
      call && call->getOperator() == OO_Equal && call->getNumArgs() == 2)
    return Assigned{call->getArg(0), call->getArg(1)};
  return std::nullopt;
}

const Expr *convertedFrom(const Expr *value) {
  value = strip(value);
  while (const auto *construct = dyn_cast<CXXConstructExpr>(value)) {
    const bool isOther =
        construct->getNumArgs() > 1 && !isa<CXXDefaultArgExpr>(construct->getArg(1));
    if (construct->getNumArgs() == 0 || isOther)
      return nullptr;
    value = strip(construct->getArg(0));
  }
  return value;
}

const Expr *objectOf(const CallExpr *call) {
  if (const auto *method = dyn_cast<CXXMemberCallExpr>(call))
    return method->getImplicitObjectArgument();
  // With arguments of unknown type it is no CXXMemberCallExpr.
  if (const auto *member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParenImpCasts());
      member && isa<CXXMethodDecl>(member->getMemberDecl()))
    return member->getBase();
  if (isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(call->getDirectCallee()))
    return call->getArg(0);
  return nullptr;
}

bool isPassedOver(const Decl *declaration, const std::function<bool(const Decl *)> &isUserCode) {
  return declaration && !isa<TranslationUnitDecl>(declaration) &&
         declaration->getLocation().isValid() && !isUserCode(declaration);
}

bool isDamaged(const clang::CXXRecordDecl &record) {
  return record.isInvalidDecl() || llvm::any_of(record.decls(), [](const clang::Decl *each) {
           return each->isInvalidDecl();
         });
}

} // namespace gradtidy
