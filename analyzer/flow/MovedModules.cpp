#include "MovedModules.h"

namespace gradtidy {

/// Whether the event brings a module to a GPU, or hands it and a device to code that may.
static bool mayMoveModules(const Event &event) {
  const auto isOfModule = [](const Operand &operand) { return isModule(operand.role); };
  return (isOfModule(event.subject) || llvm::any_of(event.operands, isOfModule)) &&
         llvm::any_of(event.operands, [](const Operand &operand) {
           return operand.device.kind == Device::Cuda ||
                  (operand.role == TypeRole::Device && operand.device.kind != Device::Cpu);
         });
}

/// Whether a module in \p type is of a class of the framework's that \p isOpen.
static bool hasOpen(const ir::Type &type, llvm::function_ref<bool(Trait)> isOpen) {
  return llvm::any_of(type.modules, [&](const ir::Symbol *record) {
    return record->isFramework && isOpen(record->trait);
  });
}

MovedModules::MovedModules(const LoweredUnit &unit, const CallGraph &graph) {
  for (const FunctionBody *body : graph.functions())
    for (const Block &block : body->blocks)
      for (const Event &event : block.events)
        if (mayMoveModules(event))
          add(event);
  for (size_t known = 0; known < classes.size() && !movesUnknown;) {
    for (; known < classes.size(); ++known) // More are added.
      addPartsOf(*classes[known], unit);
    addNamed(graph);
  }
}

void MovedModules::add(const Event &move) {
  const FunctionBody &function = *move.function;
  const auto addModule = [&](const Operand &operand) {
    if (!isModule(operand.role))
      return;
    if (operand.path && operand.path == function.thisObject && function.function->owner) {
      classes.insert(function.function->owner);
      return;
    }
    const ir::Type *type = operand.expr ? operand.expr->type : nullptr;
    movesUnknown |= !type || type->modules.empty() || hasOpen(*type, [](Trait trait) {
      return trait == Trait::Container || trait == Trait::Opaque;
    });
    add(type);
  };
  addModule(move.subject);
  llvm::for_each(move.operands, addModule);
}

void MovedModules::add(const ir::Type *type) {
  if (type)
    for (const ir::Symbol *record : type->modules)
      if (!record->isFramework)
        classes.insert(record);
}

void MovedModules::addPartsOf(const ir::Symbol &record, const LoweredUnit &unit) {
  for (const ir::Symbol *base : record.bases)
    if (!base->isFramework)
      classes.insert(base);
  for (const ModuleClass &view : unit.classes())
    if (ir::isOrDerives(*view.record, record))
      classes.insert(view.record);
  for (const ir::Symbol *member : ir::classOf(record).members) {
    add(member->type);
    movesUnknown |= member->type && hasOpen(*member->type, [](Trait trait) {
                      return trait == Trait::Opaque; // Handed in, perhaps.
                    });
  }
}

void MovedModules::addNamed(const CallGraph &graph) {
  llvm::SetVector<const FunctionBody *> reached;
  for (const FunctionBody *body : graph.functions())
    if (body->function->owner && classes.contains(body->function->owner))
      reached.insert(body);
  for (size_t i = 0; i < reached.size(); ++i) {
    const auto addNode = [&](const ir::Node &node) { add(node.type); };
    ir::forEach(reached[i]->body, addNode);
    for (const Block &block : reached[i]->blocks)
      for (const Event &event : block.events) {
        addNode(*event.site); // An initializer of a constructor stands outside of its body.
        reached.insert_range(graph.candidates(event));
      }
  }
}

} // namespace gradtidy
