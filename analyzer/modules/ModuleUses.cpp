#include "ModuleUses.h"

#include "LayerShapes.h"

#include "analyzer/model/Model.h"

namespace gradtidy {

using namespace ir;

ModuleUses::ModuleUses(const LoweredUnit::Contents &unit, const Constants &constants,
                       const Model &model)
    : model(model), constants(constants), hasErrors(unit.hasErrors) {
  for (const auto &view : unit.classes) {
    records.push_back(view->record);
    if (view->isIncomplete)
      incomplete.insert(view->record);
  }
  collect(unit);
  for (auto &[entity, known] : facts)
    known.escapes |= llvm::any_of(
        known.givers, [&](const Symbol *giver) { return hasErrors || mayBeCalled(giver); });
}

bool ModuleUses::mayBeCalled(const Symbol *function) const {
  return !function->isMethod() || function->isVirtual || function->isOfTemplate ||
         !callersOf(function).empty() || !function->isOfMainFile;
}

void ModuleUses::link(Entity entity, const Symbol *to) {
  Entity target = canonical(to);
  if (!target || target == entity)
    return;
  if (!entity) {
    facts[target].isRegistered = true;
  } else if (!holdsAny(target->type)) {
    facts[entity].escapes = true;
  } else {
    facts[entity].same.insert(target);
    facts[target].same.insert(entity);
  }
}

// ---- What is known of entities -----------------------------------------------------------------

const EntityFacts &ModuleUses::of(Entity entity) const {
  static const EntityFacts none;
  auto found = facts.find(entity);
  return found == facts.end() ? none : found->second;
}

const std::vector<MemberDefinition> &ModuleUses::definitionsOf(const Symbol *field) const {
  const EntityFacts &own = of(canonical(field));
  if (own.definitions.empty())
    for (Entity other : own.same)
      if (other->kind == SymbolKind::Member && other->location == field->location)
        return of(other).definitions;
  return own.definitions;
}

static void addNew(llvm::SmallVectorImpl<Entity> &found, llvm::ArrayRef<Entity> entities) {
  for (Entity entity : entities)
    if (!llvm::is_contained(found, entity))
      found.push_back(entity);
}

llvm::SmallVector<Entity, 8> ModuleUses::aliasesOf(Entity entity) const {
  llvm::SmallVector<Entity, 8> found{entity};
  for (size_t i = 0; i < found.size(); ++i)
    addNew(found, of(found[i]).same.getArrayRef());
  return found;
}

ModuleUses::Reached ModuleUses::reachedFrom(Entity entity) const {
  llvm::SmallVector<Entity, 8> found = aliasesOf(entity);
  const size_t aliases = found.size();
  for (size_t i = 0; i < found.size(); ++i) {
    const EntityFacts &reached = of(found[i]);
    addNew(found, reached.parameters.getArrayRef());
    if (i >= aliases)
      addNew(found, reached.same.getArrayRef());
  }
  return {std::move(found), aliases};
}

llvm::ArrayRef<const Node *> ModuleUses::registrationsOf(const Symbol &record) const {
  const auto found = registrations.find(&record);
  if (found == registrations.end())
    return {};
  return found->second;
}

// ---- What expressions are values of ------------------------------------------------------------

static const Node *wholeOfOperation(const Node &operation) {
  const bool isAccess = operation.op == "[]" || operation.op == "->" ||
                        (operation.op == "*" && operation.arguments.size() == 1);
  if (!isAccess || operation.arguments.empty())
    return nullptr;
  const Node *object = operation.arguments.front();
  return holdsModules(object->type) == holdsModules(operation.type) ? object : nullptr;
}

/// `layers.back()`, `holder.ptr()`, but not what a tensor computes.
static const Node *wholeOfMethod(const Node &call) {
  const Symbol *method = call.symbol;
  const bool isAccess = method && !method->isUser && holdsAny(call.type) &&
                        (!holdsTensors(call.type) || method->isStandard);
  return isAccess ? call.object : nullptr;
}

/// What \p expr is the value of, or a part, or an element. Null if it is something of its own.
static const Node *wholeOf(const Node &expr) {
  if (std::optional<Assignment> assigned = asAssignment(expr))
    return assigned->target;
  switch (expr.kind) {
  case NodeKind::Member: {
    const Symbol *field = expr.symbol;
    return field && field->kind == SymbolKind::Member && field->isStandard ? expr.object : nullptr;
  }
  case NodeKind::Subscript:
    return expr.children.empty() ? nullptr : expr.children.front();
  case NodeKind::OperatorCall:
    return wholeOfOperation(expr);
  case NodeKind::MemberCall:
    return wholeOfMethod(expr);
  case NodeKind::Call: { // std::get, std::move
    const bool handsOn = expr.symbol && expr.symbol->isStandard && !isFactory(expr.symbol) &&
                         !expr.arguments.empty();
    return handsOn ? expr.arguments.front() : nullptr;
  }
  case NodeKind::Construct:
  case NodeKind::Temporary:
    return expr.arguments.size() == 1 && expr.symbol && expr.symbol->isCopying
               ? expr.arguments.front()
               : nullptr;
  default:
    return nullptr;
  }
}

Entity ModuleUses::rootOf(const Node *expr) const {
  for (; expr; expr = wholeOf(*expr)) {
    expr = strip(expr);
    const Symbol *named = expr->symbol;
    if (expr->kind == NodeKind::Reference)
      return named && (named->isVariable() || named->kind == SymbolKind::Binding) ? canonical(named)
                                                                                  : nullptr;
    if (expr->kind == NodeKind::Member && named && named->kind == SymbolKind::Member &&
        named->isUser)
      return holdsAny(named->type) ? canonical(named) : nullptr;
  }
  return nullptr;
}

bool ModuleUses::handsOnModule(const Node &construct) {
  return construct.arguments.size() == 1 && holdsModules(construct.arguments.front()->type);
}

bool ModuleUses::makesElement(const Node &call) {
  const Symbol *method = call.kind == NodeKind::MemberCall ? call.symbol : nullptr;
  if (!method || !method->isStandard || !method->owner)
    return false;
  const bool emplaces = method->name == "emplace_back" || method->name == "emplace_front" ||
                        (method->name == "emplace" && method->owner->name == "optional");
  const Symbol *record = call.type ? call.type->record : nullptr;
  return emplaces && record && !record->isStandard && // What a pointer is made of is an argument.
         isModule(call.type->role) && llvm::none_of(call.arguments, isNull);
}

// ---- Functions ---------------------------------------------------------------------------------

const ModuleUses::Functions &ModuleUses::calleesOf(const Symbol *function) const {
  static const Functions none;
  auto found = callees.find(function->first);
  return found == callees.end() ? none : found->second;
}

const ModuleUses::Functions &ModuleUses::callersOf(const Symbol *function) const {
  static const Functions none;
  auto found = callers.find(function->first);
  return found == callers.end() ? none : found->second;
}

/// pretty_print()
static bool writesToStream(const Symbol &method) {
  return llvm::any_of(method.parameters, [](const Symbol *parameter) {
    const Symbol *type = parameter->type ? parameter->type->record : nullptr;
    return type && type->isStandard && type->name == "basic_ostream";
  });
}

bool ModuleUses::isManagement(const Symbol *function) {
  return function && function->isMethod() && function->redefines && !isForward(function) &&
         // Which say nothing of parameters() and to().
         !function->aspects.hasAny({Aspect::BuildsParts, Aspect::SavesParts}) && function->isUser &&
         isModuleClass(function->owner) && !writesToStream(*function);
}

bool ModuleUses::worksInPlace(llvm::StringRef member) const {
  const std::optional<Operator> run = model.operators().findMember(member);
  return run ? run->changes(0)
             : model.roleOfMember(TypeRole::Tensor, member) == FunctionRole::Overwrite;
}

SizedLayer ModuleUses::shapeOf(ResultRule rule, llvm::ArrayRef<const Node *> arguments) const {
  return sizedLayerOf(rule, arguments, constants, model);
}

Trait ModuleUses::traitOfOption(llvm::StringRef name) const { return model.trait(name); }

// ---- Classes -----------------------------------------------------------------------------------

bool ModuleUses::isVisible(const Symbol &record) const {
  if (incomplete.contains(&record))
    return false;
  const Class &whole = ir::classOf(record);
  const bool isImplementedHere = llvm::any_of(whole.methods, [&](const Method &method) {
    const Symbol *definition = definitionOf(method.symbol);
    return definition && definition != definition->first;
  });
  const auto isSeen = [&](const Symbol *function) {
    return function->isPureVirtual || function->definition ||
           (isImplementedHere && function->kind != SymbolKind::Constructor &&
            callersOf(function).empty());
  };
  return llvm::all_of(
             whole.methods,
             [&](const Method &method) { return method.isGenerated || isSeen(method.symbol); }) &&
         llvm::all_of(whole.generic, isSeen);
}

bool ModuleUses::makesLayers(const Symbol &record) const {
  const Class &whole = ir::classOf(record);
  const bool hasContainer = llvm::any_of(whole.members, [](const Symbol *member) {
    const Symbol *held = moduleClassOf(member->type);
    return held && member->type->role == TypeRole::ModuleHolder && held->trait == Trait::Container;
  });
  bool makes = false;
  const auto look = [&](const Node *code) {
    forEach(code, [&](const Node &part) {
      makes |= asConstruction(&part) && part.type && part.type->role == TypeRole::ModuleHolder &&
               part.symbol && part.symbol->isFramework && hasParameters(moduleClassOf(part.type));
    });
  };
  if (!hasContainer)
    return false;
  for (const Symbol *member : whole.members)
    look(member->init);
  for (const Method &method : whole.methods)
    if (const Symbol *definition = method.symbol->kind == SymbolKind::Constructor
                                       ? definitionOf(method.symbol)
                                       : nullptr) {
      look(definition->body);
      for (const Initializer &initializer : definition->initializers)
        look(initializer.value);
    }
  return makes;
}

bool ModuleUses::hasParameters(const Symbol *record) const {
  if (!record || record->isStandard || !isModule(record->role) || !record->record)
    return false;
  if (record->isFramework)
    return record->trait == Trait::None || record->trait == Trait::CastsWeights ||
           record->trait == Trait::ModeByOption;
  const auto [known, isNew] = parametrized.try_emplace(record, false);
  if (!isNew)
    return known->second;
  const bool result = llvm::any_of(record->record->members,
                                   [&](const Symbol *member) {
                                     return member->type &&
                                            member->type->role == TypeRole::ModuleHolder &&
                                            hasParameters(moduleClassOf(member->type));
                                   }) ||
                      makesLayers(*record);
  return parametrized[record] = result;
}

} // namespace gradtidy
