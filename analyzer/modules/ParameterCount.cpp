#include "ParameterCount.h"

#include "Layers.h"
#include "RecursionGuard.h"

namespace gradtidy {

using namespace ir;

namespace {

class ParameterCounter {
public:
  explicit ParameterCounter(const ModuleUses &uses) : uses(uses) {}

  std::int64_t of(const Node *module, unsigned depth = 0) {
    module = strip(module);
    const Symbol *record = moduleClassOf(module->type);
    if (depth > 8 || isDependent(*module) || !record)
      return 0;
    if (record->isUser)
      return ofClass(*record, depth);
    if (module->kind == NodeKind::OperatorCall && module->arguments.size() == 1)
      return of(module->arguments.front(), depth + 1); // `net->`, `*net`
    if (module->isCall()) {
      if (registersModule(traitOfCallee(*module)))
        return module->arguments.size() > 1 ? of(module->arguments[1], depth + 1) : 0;
      if (isFactory(module->symbol))
        return made(*record, module->arguments, depth);
    }
    if (asConstruction(module)) {
      const bool isHandle = module->arguments.size() == 1 &&
                            moduleClassOf(strip(module->arguments.front())->type) == record;
      return isHandle ? of(module->arguments.front(), depth + 1)
                      : made(*record, module->arguments, depth);
    }
    const Entity entity = uses.rootOf(module);
    return entity && moduleClassOf(entity->type) == record ? ofEntity(entity, depth) : 0;
  }

private:
  /// The sum of what its members are made with.
  std::int64_t ofClass(const Symbol &record, unsigned depth) {
    RecursionGuard guard(active, &record);
    if (!record.record || !guard.isFirst)
      return 0;
    std::int64_t count = 0;
    for (const Symbol *base : record.bases)
      if (base->isUser)
        count += ofClass(*base, depth + 1);
    for (const Symbol *field : record.record->members)
      if (moduleClassOf(field->type))
        count += ofEntity(canonical(field), depth + 1);
    return count;
  }

  /// Of the only module that the entity ever holds.
  std::int64_t ofEntity(Entity entity, unsigned depth) {
    const EntityFacts &facts = uses.of(entity);
    if (facts.same.size() > 1 || !facts.arguments.empty())
      return 0;
    const Node *only = nullptr;
    for (const MemberDefinition &definition : facts.definitions) {
      if (definition.kind == MemberDefinition::Insertion || isNull(definition.value) ||
          isOwnRegistration(definition.value, entity, uses))
        continue;
      if (only)
        return 0;
      only = definition.value;
    }
    return only ? of(only, depth + 1) : 0;
  }

  std::int64_t made(const Symbol &record, llvm::ArrayRef<const Node *> arguments, unsigned depth) {
    if (record.trait != Trait::Container)
      return uses.shapeOf(record.rule, arguments).weights();
    std::int64_t count = 0;
    for (const Node *argument : arguments)
      if (argument->kind != NodeKind::DefaultArgument)
        count += of(argument, depth + 1);
    return count;
  }

  const ModuleUses &uses;
  ActiveSet active;
};

} // namespace

std::int64_t parametersOf(const Node &module, const ModuleUses &uses) {
  return ParameterCounter(uses).of(&module);
}

} // namespace gradtidy
