#include "Registrations.h"

#include <algorithm>

namespace gradtidy {

using namespace ir;

Answer Registrations::of(llvm::ArrayRef<Entity> reached) {
  Answer registered = Answer::No;
  for (Entity entity : reached) {
    const EntityFacts &facts = uses.of(entity);
    const bool isSeen =
        facts.isRegistered || llvm::any_of(facts.definitions, [&](const MemberDefinition &each) {
          return isResult(each.value);
        });
    registered = std::max(registered, isSeen          ? Answer::Yes
                                      : facts.escapes ? Answer::Unknown
                                                      : Answer::No);
  }
  return registered;
}

bool Registrations::isResult(const Node *value) {
  const Node *source = value ? convertedFrom(value) : nullptr;
  if (as(NodeKind::List, source))
    return !source->children.empty() &&
           llvm::all_of(source->children, [&](const Node *element) { return isResult(element); });
  if (!asCall(source))
    return false;
  if (registers(traitOfCallee(*source)))
    return true;
  const Symbol *callee = calleeOf(*source);
  return definitionOf(callee) && isReturnedResult(*callee->first);
}

bool Registrations::isReturnedResult(const Symbol &function) {
  RecursionGuard guard(active, &function);
  const auto isRegistered = [&](Entity entity) { return uses.of(entity).isRegistered; };
  return guard.isFirst && llvm::any_of(uses.returns.lookup(&function), [&](const Node *result) {
           const Entity root = uses.rootOf(result);
           return isResult(result) ||
                  (root && llvm::any_of(uses.reachedFrom(root).entities, isRegistered));
         });
}

// ---- Replacements ------------------------------------------------------------------------------

/// Whether the value is a module that is made here, or a tensor that is made or computed.
static bool makesAnother(const Node *value) {
  value = strip(value);
  if (asConstruction(value))
    return ModuleUses::makesModule(*value);
  const Symbol *callee = value->isCall() ? value->symbol : nullptr;
  if (!callee || !callee->type || callee->type->role != TypeRole::Tensor)
    return false;
  if (callee->operation == Operation::Permute)
    return true;
  const bool givesValue = !callee->type->isReference;
  if (callee->trait == Trait::KeepsStrides && givesValue)
    return true;
  return callee->purpose == FunctionRole::Create || callee->purpose == FunctionRole::CreateLike ||
         (value->kind == NodeKind::OperatorCall && value->op != "()" && !asAssignment(*value) &&
          givesValue);
}

/// Whether the arguments of the registration name the entity.
bool Registrations::names(const Node &registration, Entity entity) const {
  return llvm::any_of(registration.arguments,
                      [&](const Node *argument) { return uses.rootOf(argument) == entity; });
}

/// Whether some registration names the entity.
bool Registrations::isNamed(Entity entity) const {
  return llvm::any_of(uses.registrations, [&](const auto &entry) {
    return llvm::any_of(entry.second, [&](const Node *call) { return names(*call, entity); });
  });
}

/// Whether \p call stands in the body of a constructor of the class.
static bool isInConstructor(const Node &call, const Symbol &record) {
  const Node *outermost = &call;
  while (outermost->parent)
    outermost = outermost->parent;
  return llvm::any_of(ir::classOf(record).methods, [&](const Method &method) {
    const Symbol *definition =
        method.symbol->kind == SymbolKind::Constructor ? definitionOf(method.symbol) : nullptr;
    return definition && (definition->body == outermost ||
                          llvm::any_of(definition->initializers, [&](const Initializer &each) {
                            return each.value == outermost;
                          }));
  });
}

/// Whether all registrations that name the entity stand in constructors of its class.
bool Registrations::isRegisteredAtOnce(Entity entity) const {
  return llvm::all_of(uses.registrations, [&](const auto &entry) {
    return llvm::all_of(entry.second, [&](const Node *call) {
      return !names(*call, entity) || isInConstructor(*call, *entry.first);
    });
  });
}

/// Which statement of its own in the body of the constructor \p function assigns \p value.
static std::optional<size_t> assignmentIn(const Symbol *function, const Node *value) {
  const Symbol *definition =
      function && function->kind == SymbolKind::Constructor ? definitionOf(function) : nullptr;
  if (!definition || !definition->body)
    return std::nullopt;
  for (size_t i = 0; i < definition->body->children.size(); ++i)
    if (std::optional<Assignment> assigned = asAssignment(*definition->body->children[i]);
        assigned && assigned->value == value && entityOf(strip(assigned->target)))
      return i;
  return std::nullopt;
}

/// Whether the member has the value of \p first when it gets that of \p second. \p isLater says
/// that this is after construction.
bool Registrations::isBefore(const MemberDefinition &first, const MemberDefinition &second,
                             bool isLater) const {
  if (first.kind == MemberDefinition::MemberInitializer)
    return isLater || first.function == second.function;
  if (first.function != second.function)
    return isLater && phases.isConstruction(first.function);
  const std::optional<size_t> before = assignmentIn(first.function, first.value);
  const std::optional<size_t> after = assignmentIn(first.function, second.value);
  return before && after && *before < *after;
}

/// The registration that \p value is the result of, or null.
static const Node *registrationIn(const Node *value) {
  const Node *call = value ? asCall(convertedFrom(value)) : nullptr;
  return call && registers(traitOfCallee(*call)) ? call : nullptr;
}

/// Whether a tensor that constructors register gets another value later: a parameter any, a buffer
/// one that is computed of its own. What else takes the place of a buffer may be what the module
/// keeps between its calls.
bool Registrations::isReassignment(const MemberDefinition &definition, Entity entity) const {
  bool isParameter = false, isBuffer = false;
  const auto note = [&](const Node &registration) {
    isParameter |= traitOfCallee(registration) == Trait::RegistersParameter;
    isBuffer |= traitOfCallee(registration) == Trait::RegistersBuffer;
  };
  for (const MemberDefinition &first : uses.of(entity).definitions)
    if (const Node *call = registrationIn(first.value)) {
      if (!phases.isConstruction(first.function))
        return false;
      note(*call);
    }
  if (!isRegisteredAtOnce(entity))
    return false;
  for (const auto &[record, calls] : uses.registrations)
    for (const Node *call : calls)
      if (names(*call, entity))
        note(*call);
  return isParameter || (isBuffer && mentions(definition.value, entity));
}

bool Registrations::mentions(const Node *value, Entity entity) const {
  bool isFound = false;
  forEach(value, [&](const Node &part) {
    isFound |= part.kind == NodeKind::Member && uses.rootOf(&part) == entity;
  });
  return isFound;
}

bool Registrations::isReplacement(const MemberDefinition &definition, const Symbol &field) const {
  if (definition.kind != MemberDefinition::Assignment || !makesAnother(definition.value))
    return false;
  const Entity entity = canonical(&field);
  const EntityFacts &facts = uses.of(entity);
  if (facts.escapes || !facts.parameters.empty())
    return false;
  const bool isModule = holdsModules(field.type);
  const bool isConstruction = phases.isConstruction(definition.function);
  if (!isModule && !isConstruction)
    return isReassignment(definition, entity);
  const bool isLater = isModule && !isConstruction;
  if (isNamed(entity))
    return isLater && isRegisteredAtOnce(entity);
  return llvm::any_of(facts.definitions, [&](const MemberDefinition &first) {
    return isBefore(first, definition, isLater) && registrationIn(first.value);
  });
}

// ---- Names -------------------------------------------------------------------------------------

std::vector<llvm::StringRef> Registrations::namesIn(const Symbol &record) const {
  std::vector<llvm::StringRef> names;
  for (const Node *call : uses.registrationsOf(record))
    for (const Node *argument : call->arguments) {
      const Node *name = strip(argument);
      while (asConstruction(name) && !name->arguments.empty())
        name = strip(name->arguments.front());
      if (name->kind == NodeKind::String)
        names.push_back(name->op);
    }
  return names;
}

} // namespace gradtidy
