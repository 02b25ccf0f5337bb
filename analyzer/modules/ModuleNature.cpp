#include "ModuleNature.h"

#include <utility>

namespace gradtidy {

using namespace ir;

static constexpr Nature unknown{Answer::Unknown, Answer::Unknown, Answer::Unknown};

// ---- Classes -----------------------------------------------------------------------------------

Nature ModuleNatures::of(const Symbol &module) {
  if (auto found = natures.find(&module); found != natures.end())
    return found->second;
  if (module.isUser) {
    RecursionGuard guard(active, &module);
    if (!guard.isFirst)
      return {};
    const VisitedSet outer = std::exchange(visited, {});
    const Nature nature = module.record ? ofClass(module) : unknown;
    visited = outer;
    return natures[&module] = nature;
  }
  if (!module.isFramework)
    return unknown;
  switch (module.trait) {
  case Trait::Stateless:
    return {Answer::No, Answer::No};
  case Trait::ModeDependent:
    return {Answer::Yes, Answer::Yes,
            module.operation == Operation::NormalizeBatch ? Answer::Yes : Answer::No};
  case Trait::ModeByOption:
    return {Answer::Yes, Answer::Unknown};
  case Trait::None:
  case Trait::CastsWeights:
    return {Answer::Yes, Answer::No};
  default:
    return unknown;
  }
}

Nature ModuleNatures::ofClass(const Symbol &module) {
  Nature nature = uses.isVisible(module) ? Nature() : unknown;
  nature.join(ofBases(module));
  nature.join(ofFields(module));
  nature.join(ofRegistrations(module));
  if (llvm::any_of(ir::classOf(module).methods,
                   [&](const Method &method) { return asksForMode(*method.symbol); }))
    nature.join({Answer::Yes, Answer::Yes});
  return nature;
}

Nature ModuleNatures::ofBases(const Symbol &module) {
  Nature nature;
  for (const Symbol *base : module.bases)
    if (isModuleClass(base) && (base->isUser || base->trait != Trait::Opaque))
      nature.join(of(*base));
  return nature;
}

Nature ModuleNatures::ofFields(const Symbol &module) {
  Nature nature;
  for (const Symbol *field : ir::classOf(module).members)
    if (holdsModules(field->type))
      nature.join(ofEntity(canonical(field)));
    else if (holdsTensors(field->type))
      nature.join({Answer::Unknown, Answer::No});
    else if (field->type && field->type->leadsToTraining)
      nature.join(unknown);
  return nature;
}

Nature ModuleNatures::ofRegistrations(const Symbol &module) {
  Nature nature;
  for (const Node *call : uses.registrationsOf(module)) {
    if (!registersModule(traitOfCallee(*call)))
      nature.join({Answer::Yes, Answer::No});
    else
      for (const Node *argument : call->arguments)
        if (holdsModules(argument->type))
          nature.join(of(argument));
  }
  return nature;
}

bool ModuleNatures::asksForMode(const Symbol &function) {
  const Symbol *record = gradtidy::classOf(&function);
  if (!isModuleClass(record))
    return askingOutside().contains(function.first);
  ActiveSet asked;
  return asksForMode(function, *record, asked);
}

const llvm::DenseSet<const Symbol *> &ModuleNatures::askingOutside() {
  if (asking)
    return *asking;
  asking = uses.modeDependent;
  std::vector<const Symbol *> reached(asking->begin(), asking->end());
  while (!reached.empty()) {
    const Symbol *callee = reached.back();
    reached.pop_back();
    if (isModuleClass(gradtidy::classOf(callee)))
      continue;
    for (const Symbol *caller : uses.callersOf(callee))
      if (asking->insert(caller).second)
        reached.push_back(caller);
  }
  return *asking;
}

bool ModuleNatures::asksForMode(const Symbol &function, const Symbol &record, ActiveSet &asked) {
  if (uses.modeDependent.contains(function.first))
    return true;
  if (!asked.insert(function.first).second)
    return false;
  return llvm::any_of(uses.calleesOf(&function), [&](const Symbol *callee) {
    const Symbol *other = gradtidy::classOf(callee);
    return !(other != &record && isModuleClass(other)) && asksForMode(*callee, record, asked);
  });
}

// ---- Types -------------------------------------------------------------------------------------

Nature ModuleNatures::of(const Type *type) {
  Nature result;
  for (const Symbol *module : modulesIn(type))
    result.join(ofObject(*module));
  return result;
}

/// What an object is that is known as a \p type: if that is abstract, what all its classes are.
Nature ModuleNatures::ofObject(const Symbol &type) {
  Nature nature = of(type);
  if (!ir::classOf(type).isAbstract)
    return nature;
  std::optional<Nature> variant;
  for (const Symbol *record : uses.records) {
    if (ir::classOf(*record).isAbstract || record == &type || !isOrDerives(*record, type))
      continue;
    const Nature other = of(*record);
    if (!variant)
      variant = other;
    if (variant->stateful != other.stateful)
      variant->stateful = Answer::Unknown;
    if (variant->mode != other.mode)
      variant->mode = Answer::Unknown;
  }
  nature.join(variant.value_or(unknown));
  return nature;
}

/// Whether the type tells all: neither options nor contents matter.
bool ModuleNatures::isKnownByType(const Type *type) const {
  return llvm::all_of(modulesIn(type), [](const Symbol *module) {
    const Trait trait = module->isUser ? Trait::None : module->trait;
    return trait == Trait::None || trait == Trait::CastsWeights || trait == Trait::Stateless;
  });
}

// ---- Variables and members ---------------------------------------------------------------------

Nature ModuleNatures::ofEntity(Entity entity) {
  if (isKnownByType(entity->type))
    return of(entity->type);
  if (auto found = naturesOfEntities.find(entity); found != naturesOfEntities.end())
    return found->second;
  VisitGuard guard(visited, entity);
  if (!guard.isFirst)
    return {};
  const Nature nature = ofValues(entity);
  if (guard.isQuestion && active.empty())
    naturesOfEntities[entity] = nature;
  return nature;
}

Nature ModuleNatures::ofValues(Entity entity) {
  Nature nature;
  bool isDefined = false;
  const auto join = [&](const Node *value) {
    nature.join(of(value));
    isDefined = true;
  };
  const auto [reached, aliases] = uses.reachedFrom(entity);
  for (size_t i = 0; i < reached.size(); ++i) {
    const EntityFacts &facts = uses.of(reached[i]);
    const bool isParameter = i < aliases && reached[i]->kind == SymbolKind::Parameter;
    if (facts.escapes || facts.isLent || (isParameter && facts.arguments.empty()))
      nature.join(unknown);
    llvm::for_each(facts.arguments, join);
    for (const MemberDefinition &definition : facts.definitions)
      if (!isNull(definition.value))
        join(definition.value);
  }
  if (!isDefined && entity->type->isReference)
    return unknown; // Whoever makes the object binds it.
  // A layer has a value somewhere, and what it is by default; an empty container is nothing.
  for (const Symbol *module : modulesIn(entity->type))
    if (!isDefined && module->trait != Trait::Container)
      nature.join(of(*module));
  return nature;
}

// ---- Expressions -------------------------------------------------------------------------------

Nature ModuleNatures::of(const Node *value) {
  value = strip(value);
  if (isNull(value))
    return {};
  if (value->kind == NodeKind::List)
    return joined(value->children);
  const Type *type = value->type;
  if (value->kind == NodeKind::OpenConstruct)
    return !holdsModules(type)   ? unknown
           : isKnownByType(type) ? of(type)
                                 : ofMade(*type->modules.front(), *value);
  if (!type || type->isDependent || !holdsModules(type))
    return unknown;
  if (isKnownByType(type))
    return of(type);
  if (value->kind == NodeKind::Conditional && value->children.size() == 3) {
    Nature nature = of(value->children[1]);
    nature.join(of(value->children[2]));
    return nature;
  }
  if (asConstruction(value))
    return ofConstruct(*value);
  if (value->kind == NodeKind::OperatorCall && value->arguments.size() == 1)
    return of(value->arguments.front()); // `Sequential(net)->`, `*net`
  if (value->isCall())
    if (std::optional<Nature> nature = ofCall(*value))
      return *nature;
  const Entity entity = uses.rootOf(value);
  return entity ? ofEntity(entity) : of(type);
}

Nature ModuleNatures::joined(llvm::ArrayRef<const Node *> parts) {
  Nature nature;
  for (const Node *part : parts)
    if (holdsModules(part->type) || strip(part)->kind == NodeKind::List)
      nature.join(of(part));
  return nature;
}

Nature ModuleNatures::ofConstruct(const Node &construct) {
  const llvm::ArrayRef<const Symbol *> modules = modulesIn(construct.type);
  const bool isLayer =
      modules.size() == 1 && !construct.type->pointee && !ModuleUses::handsOnModule(construct);
  const Trait trait = isLayer ? modules.front()->trait : Trait::Container;
  return trait == Trait::Container || trait == Trait::Opaque ? joined(construct.arguments)
                                                             : ofLayer(*modules.front(), construct);
}

/// Nothing for calls that neither make nor hand on a module as far as the program shows.
std::optional<Nature> ModuleNatures::ofCall(const Node &call) {
  if (registersModule(traitOfCallee(call)))
    return joined(call.arguments);
  if (isFactory(call.symbol) || ModuleUses::makesElement(call))
    return ofMade(*modulesIn(call.type).front(), call);
  if (definitionOf(call.symbol))
    return ofReturned(*call.symbol->first);
  return std::nullopt;
}

Nature ModuleNatures::ofReturned(const Symbol &function) {
  VisitGuard guard(visited, &function);
  return guard.isFirst ? joined(uses.returns.lookup(&function)) : Nature();
}

/// Of a container of the framework, or a layer.
Nature ModuleNatures::ofMade(const Symbol &module, const Node &call) {
  return module.trait == Trait::Container ? joined(call.arguments) : ofLayer(module, call);
}

// ---- Options -----------------------------------------------------------------------------------

/// Whether the value of an option is other than zero or false.
static Answer isGiven(const Node &value) {
  if (value.integer || value.real)
    return value.integer == 0 || value.real == 0.0 ? Answer::No : Answer::Yes;
  return value.isConstant ? Answer::Yes : Answer::Unknown;
}

/// Whether all that the construction of the layer, or of its options, is given is a zero: the
/// probability of a dropout.
static bool isGivenZero(const Node *construction) {
  construction = strip(construction);
  if (construction->kind == NodeKind::MemberCall) { // `DropoutOptions().p(0)`
    const Node *options = asConstruction(strip(construction->object));
    const bool isOnly = options && options->writtenArguments() == 0;
    const Node *only =
        construction->arguments.size() == 1 ? strip(construction->arguments.front()) : nullptr;
    return isOnly && only && isArithmetic(*only) && !only->type->isBoolean &&
           isGiven(*only) == Answer::No;
  }
  llvm::ArrayRef<const Node *> arguments;
  if (asConstruction(construction) || (construction->isCall() && isFactory(construction->symbol)))
    arguments = withoutDefaults(construction->arguments);
  if (arguments.size() != 1)
    return false;
  return isArithmetic(*arguments.front()) ? isGiven(*arguments.front()) == Answer::No
                                          : isGivenZero(arguments.front());
}

/// A layer of the framework whose options matter.
Nature ModuleNatures::ofLayer(const Symbol &layer, const Node &construction) {
  Nature nature = of(layer);
  switch (layer.trait) {
  case Trait::ModeDependent:
    nature.mode = isGivenZero(&construction) ? Answer::No
                                             : option(construction, Trait::ModeOption, Answer::Yes);
    break;
  case Trait::ModeByOption:
    nature.mode = option(construction, Trait::ModeOption, Answer::No);
    break;
  case Trait::StatelessByDefault:
    nature.mode = option(construction, Trait::ModeOption, Answer::No);
    nature.stateful = std::max(nature.mode, option(construction, Trait::StateOption, Answer::No));
    break;
  default:
    break;
  }
  return nature;
}

/// What the construction says of options of that kind; \p absent if it says nothing.
Answer ModuleNatures::option(const Node &construction, Trait kind, Answer absent) const {
  Answer answer = absent;
  bool isSaid = false;
  forEach(&construction, [&](const Node &part) {
    const Symbol *record = part.type ? part.type->record : nullptr;
    if (part.kind == NodeKind::MemberCall && part.symbol && part.arguments.size() == 1 &&
        uses.traitOfOption(part.symbol->name) == kind) {
      const Answer given = isGiven(*part.arguments.front());
      answer = isSaid ? std::max(answer, given) : given;
      isSaid = true;
    } else if (part.kind == NodeKind::Reference && part.symbol && part.symbol->isVariable() &&
               !isSaid && record && record->isFramework) {
      answer = Answer::Unknown; // Options from elsewhere.
    }
  });
  return answer;
}

} // namespace gradtidy
