#include "Guards.h"

#include "Syntax.h"
#include "Values.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {

using namespace clang;

const FieldDecl *guardMemberOf(QualType type, Vocabulary &vocabulary) {
  const CXXRecordDecl *record = type->isReferenceType() ? nullptr : type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || isStandard(record))
    return nullptr;
  for (const FieldDecl *field : record->fields())
    if (const CXXRecordDecl *held = field->getType()->getAsCXXRecordDecl();
        held && !isStandard(held) && isGuard(vocabulary.roleOf(field->getType())))
      return field;
  for (const CXXBaseSpecifier &base : record->bases())
    if (const FieldDecl *field = guardMemberOf(base.getType(), vocabulary))
      return field;
  return nullptr;
}

llvm::SmallVector<const Expr *, 2> argumentsOf(const FieldDecl *member, const Expr *init) {
  const auto *construct = init ? dyn_cast<CXXConstructExpr>(strip(init)) : nullptr;
  const FunctionDecl *constructor = construct ? construct->getConstructor() : nullptr;
  if (!constructor || !constructor->isDefined(constructor))
    return {};
  llvm::SmallVector<const Expr *, 2> arguments;
  for (const CXXCtorInitializer *each : cast<CXXConstructorDecl>(constructor)->inits())
    if (const auto *made = each->getMember() == member
                               ? dyn_cast<CXXConstructExpr>(strip(each->getInit()))
                               : nullptr)
      for (const Expr *argument : made->arguments()) {
        const auto *name = dyn_cast<DeclRefExpr>(strip(argument));
        const auto *parameter = name ? dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr;
        const unsigned index = parameter ? parameter->getFunctionScopeIndex() : 0;
        const bool isHandedOn = parameter && index < construct->getNumArgs();
        arguments.push_back(isHandedOn ? construct->getArg(index) : argument);
      }
  return arguments;
}

bool hasGuard(const Stmt *body, Vocabulary &vocabulary) {
  return llvm::any_of(body->children(), [&](const Stmt *statement) {
    const auto *declared = dyn_cast_or_null<DeclStmt>(statement);
    const auto *variable = declared && declared->isSingleDecl()
                               ? dyn_cast<VarDecl>(declared->getSingleDecl())
                               : nullptr;
    return variable && vocabulary.roleOf(variable->getType()) == TypeRole::NoGradGuard;
  });
}

bool asksForGradMode(const Expr *expr, Vocabulary &vocabulary) {
  const auto *call = dyn_cast<CallExpr>(strip(expr));
  const auto *method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
  return vocabulary.is(method, {Aspect::AsksForGradMode});
}

const Expr *moduleAskedForMode(const Expr *expr, Vocabulary &vocabulary) {
  const auto *call = dyn_cast<CallExpr>(strip(expr));
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return vocabulary.is(callee, {Aspect::AsksForMode}) && vocabulary.isFramework(callee)
             ? objectOf(call)
             : nullptr;
}

} // namespace gradtidy
