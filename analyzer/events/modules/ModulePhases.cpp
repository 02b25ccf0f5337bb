#include "ModulePhases.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace gradtidy {

ModulePhases::ModulePhases(ModuleUses &uses) : uses(uses) {
  for (const CXXRecordDecl *record : uses.records) {
    addMethods(record->getDefinition());
    addTemplates(record->getDefinition());
  }
  for (size_t i = 0; i < forward.size(); ++i) {
    if (const FunctionDecl *pattern = forward[i]->getTemplateInstantiationPattern())
      forward.insert(pattern->getCanonicalDecl());
    for (const FunctionDecl *callee : uses.calleesOf(forward[i]))
      forward.insert(callee);
  }
}

void ModulePhases::addMethods(const CXXRecordDecl *definition) {
  const bool hasForward = llvm::any_of(definition->methods(), isForward);
  for (const CXXMethodDecl *method : definition->methods())
    if (isForward(method) || (!hasForward && handlesTensors(method)))
      forward.insert(method->getCanonicalDecl());
}

void ModulePhases::addTemplates(const CXXRecordDecl *definition) {
  for (const Decl *declaration : definition->decls())
    if (const auto *generic = dyn_cast<FunctionTemplateDecl>(declaration);
        generic && isForward(generic->getTemplatedDecl())) {
      forward.insert(generic->getTemplatedDecl()->getCanonicalDecl());
      for (const FunctionDecl *special : generic->specializations())
        forward.insert(special->getCanonicalDecl());
    }
}

bool ModulePhases::isTrained(const FunctionDecl *function) const {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(function);
  return method && uses.records.contains(method->getParent()->getCanonicalDecl()) &&
         !isForwardPass(method) && handlesTensors(method) &&
         llvm::any_of(uses.callersOf(method),
                      [&](const FunctionDecl *caller) { return uses.training.contains(caller); });
}

bool ModulePhases::handlesTensors(const CXXMethodDecl *method) const {
  return !isa<CXXConstructorDecl>(method) && !uses.isManagement(method) &&
         uses.holdsTensors(method->getReturnType()) &&
         llvm::any_of(method->parameters(), [&](const ParmVarDecl *parameter) {
           return uses.holdsTensors(parameter->getType());
         });
}

bool ModulePhases::isConstruction(const FunctionDecl *function, unsigned depth) const {
  if (!function || isa<CXXConstructorDecl>(function))
    return true;
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  if (method && simpleName(method) == "reset" && method->isVirtual())
    return true; // Cloneable's.
  const ModuleUses::Functions &callers = uses.callersOf(function);
  return depth < 5 && !callers.empty() &&
         llvm::all_of(
             callers,
             [&](const FunctionDecl *caller) { return isConstruction(caller, depth + 1); });
}

} // namespace gradtidy
