#include "ModulePhases.h"

namespace gradtidy {

using namespace ir;

static bool handlesTensors(const Symbol &method) {
  return method.kind != SymbolKind::Constructor && !ModuleUses::isManagement(&method) &&
         holdsTensors(method.type) && llvm::any_of(method.parameters, [](const Symbol *parameter) {
           return holdsTensors(parameter->type);
         });
}

ModulePhases::ModulePhases(const ModuleUses &uses) : uses(uses) {
  for (const Symbol *record : uses.records)
    addMethods(ir::classOf(*record));
  for (size_t i = 0; i < forward.size(); ++i) {
    // Where nothing instantiates it, a template speaks for itself.
    if (const Symbol *definition = forward[i]->definition)
      forward.insert(definition->first);
    for (const Symbol *callee : uses.calleesOf(forward[i]))
      forward.insert(callee);
  }
}

void ModulePhases::addMethods(const Class &record) {
  const bool hasForward =
      llvm::any_of(record.methods, [](const Method &method) { return isForward(method.symbol); });
  for (const Method &method : record.methods)
    if (isForward(method.symbol) || (!hasForward && handlesTensors(*method.symbol)))
      forward.insert(method.symbol->first);
  for (const Symbol *method : record.generic)
    if (isForward(method))
      forward.insert(method->first);
}

bool ModulePhases::isTrained(const Symbol *function) const {
  return function && function->isMethod() && llvm::is_contained(uses.records, function->owner) &&
         !isForwardPass(function) && handlesTensors(*function) &&
         llvm::any_of(uses.callersOf(function),
                      [&](const Symbol *caller) { return uses.training.contains(caller); });
}

bool ModulePhases::isConstruction(const Symbol *function, unsigned depth) const {
  if (!function || function->kind == SymbolKind::Constructor)
    return true;
  if (function->aspects.has(Aspect::BuildsParts) && function->isVirtual)
    return true;
  const ModuleUses::Functions &callers = uses.callersOf(function);
  return depth < 5 && !callers.empty() &&
         llvm::all_of(
             callers, [&](const Symbol *caller) { return isConstruction(caller, depth + 1); });
}

} // namespace gradtidy
