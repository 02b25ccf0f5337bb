#include "ModuleNature.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

#include <utility>

using namespace clang;

namespace gradtidy {

static constexpr Nature unknown{Answer::Unknown, Answer::Unknown, Answer::Unknown};

// ---- Classes -----------------------------------------------------------------------------------

Nature ModuleNatures::of(const CXXRecordDecl *module) {
  module = module->getCanonicalDecl();
  if (auto found = natures.find(module); found != natures.end())
    return found->second;
  if (uses.isUser(module)) {
    RecursionGuard guard(active, module);
    if (!guard.isFirst)
      return {};
    const VisitedSet outer = std::exchange(visited, {});
    const Nature nature = module->hasDefinition() ? ofClass(module->getDefinition()) : unknown;
    visited = outer;
    return natures[module] = nature;
  }
  if (!vocabulary.isFramework(module))
    return unknown;
  switch (vocabulary.traitOf(module)) {
  case Trait::Stateless:
    return {Answer::No, Answer::No};
  case Trait::ModeDependent:
    return {Answer::Yes, Answer::Yes,
            vocabulary.operationOf(module) == Operation::NormalizeBatch ? Answer::Yes : Answer::No};
  case Trait::ModeByOption:
    return {Answer::Yes, Answer::Unknown};
  case Trait::None:
  case Trait::CastsWeights:
    return {Answer::Yes, Answer::No};
  default:
    return unknown;
  }
}

Nature ModuleNatures::ofClass(const CXXRecordDecl *module) {
  Nature nature = uses.isVisible(module) ? Nature() : unknown;
  nature.join(ofBases(module));
  nature.join(ofFields(module));
  nature.join(ofRegistrations(module));
  if (llvm::any_of(module->methods(), [&](const CXXMethodDecl *method) {
        return asksForMode(method, module->getCanonicalDecl());
      }))
    nature.join({Answer::Yes, Answer::Yes});
  return nature;
}

Nature ModuleNatures::ofBases(const CXXRecordDecl *module) {
  Nature nature;
  for (const CXXBaseSpecifier &base : module->bases()) {
    const CXXRecordDecl *record = base.getType()->getAsCXXRecordDecl();
    if (record && vocabulary.roleOf(record) == TypeRole::Module &&
        (uses.isUser(record) || vocabulary.traitOf(record) != Trait::Opaque))
      nature.join(of(record));
  }
  return nature;
}

Nature ModuleNatures::ofFields(const CXXRecordDecl *module) {
  Nature nature;
  for (const FieldDecl *field : module->fields()) {
    const Held &held = uses.heldBy(field->getType());
    if (!held.modules.empty())
      nature.join(of(canonical(field)));
    else if (held.hasTensors)
      nature.join({Answer::Unknown, Answer::No});
    else if (vocabulary.reachesTraining(field->getType()))
      nature.join(unknown);
  }
  return nature;
}

Nature ModuleNatures::ofRegistrations(const CXXRecordDecl *module) {
  Nature nature;
  for (const CallExpr *call : uses.registrations.lookup(module->getCanonicalDecl())) {
    if (!registersModule(uses.traitOfCallee(call)))
      nature.join({Answer::Yes, Answer::No});
    else
      for (const Expr *argument : call->arguments())
        if (uses.holdsModules(argument->getType()))
          nature.join(of(argument));
  }
  return nature;
}

bool ModuleNatures::asksForMode(const FunctionDecl *function, const CXXRecordDecl *record) {
  if (!record || vocabulary.roleOf(record) != TypeRole::Module)
    return askingOutside().contains(function->getCanonicalDecl());
  ActiveSet asked;
  return asksForMode(function, record, asked);
}

const llvm::DenseSet<const FunctionDecl *> &ModuleNatures::askingOutside() {
  if (asking)
    return *asking;
  asking = uses.modeDependent;
  std::vector<const FunctionDecl *> reached(asking->begin(), asking->end());
  while (!reached.empty()) {
    const FunctionDecl *callee = reached.back();
    reached.pop_back();
    const CXXRecordDecl *record = classOf(callee);
    if (record && vocabulary.roleOf(record) == TypeRole::Module)
      continue;
    for (const FunctionDecl *caller : uses.callersOf(callee))
      if (asking->insert(caller).second)
        reached.push_back(caller);
  }
  return *asking;
}

bool ModuleNatures::asksForMode(const FunctionDecl *function, const CXXRecordDecl *record,
                                ActiveSet &asked) {
  function = function->getCanonicalDecl();
  if (uses.modeDependent.contains(function))
    return true;
  if (!asked.insert(function).second)
    return false;
  return llvm::any_of(uses.calleesOf(function), [&](const FunctionDecl *callee) {
    const CXXRecordDecl *other = classOf(callee);
    const bool isOther = other && other != record && vocabulary.roleOf(other) == TypeRole::Module;
    return !isOther && asksForMode(callee, record, asked);
  });
}

// ---- Types -------------------------------------------------------------------------------------

Nature ModuleNatures::of(QualType type) {
  Nature result;
  for (const CXXRecordDecl *module : uses.heldBy(type).modules)
    result.join(ofObject(module));
  return result;
}

static bool isAbstract(const CXXRecordDecl *record) {
  return record->hasDefinition() && record->getDefinition()->isAbstract();
}

/// What an object is that is known as a \p type: if that is abstract, what all its classes are.
Nature ModuleNatures::ofObject(const CXXRecordDecl *type) {
  Nature nature = of(type);
  if (!isAbstract(type))
    return nature;
  std::optional<Nature> variant;
  for (const CXXRecordDecl *record : uses.records) {
    if (isAbstract(record) || !record->getDefinition()->isDerivedFrom(type))
      continue;
    const Nature other = of(record);
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
bool ModuleNatures::isKnownByType(QualType type) {
  return llvm::all_of(uses.heldBy(type).modules, [&](const CXXRecordDecl *module) {
    Trait trait = uses.isUser(module) ? Trait::None : vocabulary.traitOf(module);
    return trait == Trait::None || trait == Trait::CastsWeights || trait == Trait::Stateless;
  });
}

// ---- Variables and members ---------------------------------------------------------------------

Nature ModuleNatures::of(Entity entity) {
  if (isKnownByType(entity->getType()))
    return of(entity->getType());
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
  const auto join = [&](const Expr *value) {
    nature.join(of(value));
    isDefined = true;
  };
  const auto [reached, aliases] = uses.reachedFrom(entity);
  for (size_t i = 0; i < reached.size(); ++i) {
    const EntityFacts &facts = uses.of(reached[i]);
    const bool isParameter = i < aliases && isa<ParmVarDecl>(reached[i]);
    if (facts.escapes || facts.isLent || (isParameter && facts.arguments.empty()))
      nature.join(unknown);
    llvm::for_each(facts.arguments, join);
    for (const EntityDefinition &definition : facts.definitions)
      if (!isNull(definition.value))
        join(definition.value);
  }
  if (!isDefined && entity->getType()->isReferenceType())
    return unknown; // Whoever makes the object binds it.
  // A layer has a value somewhere, and what it is by default; an empty container is nothing.
  for (const CXXRecordDecl *module : uses.heldBy(entity->getType()).modules)
    if (!isDefined && vocabulary.traitOf(module) != Trait::Container)
      nature.join(of(module));
  return nature;
}

// ---- Expressions -------------------------------------------------------------------------------

Nature ModuleNatures::of(const Expr *value) {
  value = strip(value);
  if (isNull(value))
    return {};
  if (const auto *list = dyn_cast<InitListExpr>(value))
    return joined(list->inits());
  if (const auto *construct = dyn_cast<CXXUnresolvedConstructExpr>(value))
    return ofUnresolved(construct);
  const QualType type = value->getType();
  if (type.isNull() || value->isTypeDependent() || !uses.holdsModules(type))
    return unknown;
  if (isKnownByType(type))
    return of(type);
  if (const auto *choice = dyn_cast<ConditionalOperator>(value)) {
    Nature nature = of(choice->getTrueExpr());
    nature.join(of(choice->getFalseExpr()));
    return nature;
  }
  if (const auto *construct = dyn_cast<CXXConstructExpr>(value))
    return ofConstruct(construct);
  if (const auto *access = dyn_cast<CXXOperatorCallExpr>(value);
      access && access->getNumArgs() == 1)
    return of(access->getArg(0)); // `Sequential(net)->`, `*net`
  if (const auto *call = dyn_cast<CallExpr>(value))
    if (std::optional<Nature> nature = ofCall(call))
      return *nature;
  const Entity entity = uses.rootOf(value);
  return entity ? of(entity) : of(type);
}

template <typename Parts> Nature ModuleNatures::joined(const Parts &parts) {
  Nature nature;
  for (const Expr *part : parts)
    if (uses.holdsModules(part->getType()) || isa<InitListExpr>(strip(part)))
      nature.join(of(part));
  return nature;
}

Nature ModuleNatures::ofUnresolved(const CXXUnresolvedConstructExpr *construct) {
  const QualType type = construct->getTypeAsWritten();
  if (!uses.holdsModules(type))
    return unknown;
  return isKnownByType(type) ? of(type) : ofMade(uses.heldBy(type).modules.front(), construct);
}

static bool isPointer(QualType type) { return !pointee(type).isNull() || type->isPointerType(); }

Nature ModuleNatures::ofConstruct(const CXXConstructExpr *construct) {
  const Held &held = uses.heldBy(construct->getType());
  const bool isLayer = held.modules.size() == 1 && !isPointer(construct->getType()) &&
                       !uses.handsOnModule(construct);
  const Trait trait = isLayer ? vocabulary.traitOf(held.modules.front()) : Trait::Container;
  return trait == Trait::Container || trait == Trait::Opaque
             ? joined(construct->arguments())
             : ofLayer(held.modules.front(), construct);
}

/// Nothing for calls that neither make nor hand on a module as far as the unit shows.
std::optional<Nature> ModuleNatures::ofCall(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  if (registersModule(uses.traitOfCallee(call)))
    return joined(call->arguments());
  if (isFactory(callee) || uses.makesElement(call))
    return ofMade(uses.heldBy(call->getType()).modules.front(), call);
  if (callee && uses.definitionOf(callee))
    return ofReturned(callee->getCanonicalDecl());
  return std::nullopt;
}

Nature ModuleNatures::ofReturned(const FunctionDecl *function) {
  VisitGuard guard(visited, function);
  return guard.isFirst ? joined(uses.returns.lookup(function)) : Nature();
}

/// Of a container of the framework, or a layer.
template <typename Call>
Nature ModuleNatures::ofMade(const CXXRecordDecl *module, const Call *call) {
  return vocabulary.traitOf(module) == Trait::Container ? joined(call->arguments())
                                                        : ofLayer(module, call);
}

// ---- Options -----------------------------------------------------------------------------------

/// A layer of the framework whose options matter.
Nature ModuleNatures::ofLayer(const CXXRecordDecl *layer, const Expr *construction) {
  Nature nature = of(layer);
  switch (vocabulary.traitOf(layer)) {
  case Trait::ModeDependent:
    nature.mode = isGivenZero(construction) ? Answer::No
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
Answer ModuleNatures::option(const Stmt *construction, Trait kind, Answer absent) {
  Answer answer = absent;
  bool isSaid = false;
  auto visit = [&](auto &&self, const Stmt *statement) -> void {
    if (!statement)
      return;
    if (const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
        call && call->getMethodDecl() && call->getNumArgs() == 1 &&
        vocabulary.traitOfOption(simpleName(call->getMethodDecl())) == kind) {
      const Answer given = isGiven(call->getArg(0));
      answer = isSaid ? std::max(answer, given) : given;
      isSaid = true;
    } else if (const auto *reference = dyn_cast<DeclRefExpr>(statement);
               reference && isa<VarDecl>(reference->getDecl()) && !isSaid &&
               reference->getType()->getAsCXXRecordDecl() &&
               vocabulary.isFramework(reference->getType()->getAsCXXRecordDecl())) {
      answer = Answer::Unknown; // Options from elsewhere.
    }
    for (const Stmt *child : statement->children())
      self(self, child);
  };
  visit(visit, construction);
  return answer;
}

/// Whether all that the construction of the layer, or of its options, is given is a zero: the
/// probability of a dropout.
bool ModuleNatures::isGivenZero(const Expr *construction) {
  construction = strip(construction);
  ArrayRef<const Expr *> arguments;
  if (const auto *setter = dyn_cast<CXXMemberCallExpr>(construction)) { // `DropoutOptions().p(0)`
    const auto *options = dyn_cast<CXXConstructExpr>(strip(setter->getImplicitObjectArgument()));
    const bool isOnly =
        options && (options->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(options->getArg(0)));
    return isOnly && setter->getNumArgs() == 1 && isArithmetic(setter->getArg(0)) &&
           !setter->getArg(0)->getType()->isBooleanType() &&
           !strip(setter->getArg(0))->getType()->isBooleanType() &&
           isGiven(setter->getArg(0)) == Answer::No;
  }
  if (const auto *construct = dyn_cast<CXXConstructExpr>(construction))
    arguments = {construct->getArgs(), construct->getNumArgs()};
  else if (const auto *call = dyn_cast<CallExpr>(construction);
           call && isFactory(call->getDirectCallee()))
    arguments = {call->getArgs(), call->getNumArgs()};
  while (arguments.size() > 1 && isa<CXXDefaultArgExpr>(arguments.back()))
    arguments = arguments.drop_back();
  if (arguments.size() != 1)
    return false;
  return isArithmetic(arguments.front()) ? isGiven(arguments.front()) == Answer::No
                                         : isGivenZero(arguments.front());
}

/// Whether the value of an option is other than zero or false.
Answer ModuleNatures::isGiven(const Expr *value) {
  Expr::EvalResult result;
  if (value->isValueDependent() || value->isTypeDependent() ||
      !value->EvaluateAsRValue(result, context))
    return Answer::Unknown;
  const bool isZero = (result.Val.isInt() && result.Val.getInt() == 0) ||
                      (result.Val.isFloat() && result.Val.getFloat().isZero());
  return isZero ? Answer::No : Answer::Yes;
}

} // namespace gradtidy
