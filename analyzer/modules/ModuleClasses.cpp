#include "ModuleClasses.h"

#include "ClassFacts.h"
#include "Layers.h"
#include "ModeFlags.h"
#include "ModuleMembers.h"
#include "ParameterCount.h"
#include "Transients.h"

namespace gradtidy {
namespace {

using namespace ir;

/// Whether the class, or one that it derives from, overrides what copies a module.
bool saysHowToCopy(const Symbol &record) {
  const auto copies = [](const Symbol *method) {
    return method->operation == Operation::CopyModule;
  };
  return ir::classOf(record).hasOpenBases ||
         llvm::any_of(ir::classOf(record).methods,
                      [&](const Method &method) {
                        return !method.symbol->overridden.empty() &&
                               (copies(method.symbol) ||
                                llvm::any_of(method.symbol->overridden, copies));
                      }) ||
         llvm::any_of(record.bases, [](const Symbol *base) { return saysHowToCopy(*base); });
}

class Modules {
public:
  Modules(const LoweredUnit &unit, const Constants &constants)
      : unit(unit.contents()), uses(unit.contents(), constants, unit.model()), natures(uses),
        phases(uses), registrations(uses, phases), members(uses, natures, phases, registrations) {}

  std::vector<std::unique_ptr<const ModuleClass>> findAll() {
    std::vector<ModeFlag> flags = findStuckModeFlags(unit);
    std::vector<std::unique_ptr<const ModuleClass>> classes;
    for (const auto &known : unit.classes)
      classes.push_back(std::make_unique<const ModuleClass>(view(*known, flags)));
    const ClassFacts facts(classes, natures);
    for (const auto &body : unit.functions) {
      body->asksForMode = natures.asksForMode(*body->function);
      for (Block &block : body->blocks)
        for (Event &event : block.events)
          if (std::optional<CalledModule> module = describe(event, facts)) {
            body->modules.push_back(std::make_unique<const CalledModule>(std::move(*module)));
            event.called = body->modules.back().get();
          }
    }
    return classes;
  }

private:
  // --- classes

  ModuleClass view(const ModuleClass &known, std::vector<ModeFlag> &flags) {
    ModuleClass result;
    const Symbol &record = *known.record;
    const Class &whole = ir::classOf(record);
    result.record = &record;
    result.isIncomplete = known.isIncomplete;
    result.isVisible = uses.isVisible(record);
    result.dependsOnMode = natures.of(record).mode;
    result.asksForMode = llvm::any_of(
        whole.methods, [&](const Method &method) { return natures.asksForMode(*method.symbol); });
    result.hasParameters = uses.hasParameters(&record);
    result.saysHowToCopy = saysHowToCopy(record);
    for (const Symbol *field : whole.members)
      if (holdsAny(field->type))
        result.members.push_back(members.view(*field));
      else
        addHelper(*field, result);
    for (ModeFlag &flag : flags)
      if (flag.field->owner == &record)
        result.stuckFlag = std::move(flag);
    for (const Method &method : whole.methods)
      if (const Symbol *definition = definitionOf(method.symbol);
          definition && definition->body && phases.isForwardPass(method.symbol))
        if (std::vector<Transient> found = findTransients(*definition->body, uses, natures);
            !found.empty())
          result.transients.push_back(std::move(found));
    result.registeredNames = registrations.namesIn(record);
    return result;
  }

  /// The modules that an object of a class which is no module holds for its owner. Nobody else
  /// makes such objects, or they may be what registers nothing on purpose.
  void addHelper(const Symbol &holder, ModuleClass &owner) {
    const bool isObject = holder.type && !holder.type->isPointer && !holder.type->isReference;
    const Symbol *helper = isObject ? holder.type->record : nullptr;
    if (!helper || !helper->record || helper->isDependent || !helper->isUser ||
        !helper->bases.empty() || helper->record->hasOpenBases || helper->role != TypeRole::None ||
        !uses.isVisible(*helper))
      return;
    for (const Symbol *field : helper->record->members)
      if (holdsModules(field->type) && !field->type->isReference)
        owner.members.push_back(members.view(*field));
  }

  // --- events

  std::optional<CalledModule> describe(const Event &event, const ClassFacts &facts) {
    CalledModule result;
    const bool isMade =
        isModule(event.subject.role) && (event.kind == EventKind::Construct ||
                                         (event.result && event.result == event.subject.path));
    if (!isMade && event.typing && event.kind != EventKind::Forward &&
        spatialAxesOf(event.typing->rule) && asCall(event.site)) {
      result.layer.steps.push_back(shapeOfOperator(event));
      return result;
    }
    if (isMade) {
      if (!event.site || !event.site->isExpression)
        return std::nullopt;
      result.layer = layerOf(*event.site, uses);
      result.dependsOnMode = natures.of(event.site).mode;
      return result;
    }
    const Node *module = event.subject.expr;
    const Type *type = module ? strip(module)->type : nullptr;
    const Symbol *record =
        isModule(type ? type->role : TypeRole::None) ? moduleClassOf(type) : nullptr;
    if (!record && type && event.kind == EventKind::Forward)
      record = type->record;
    if (!record)
      return std::nullopt;
    result.view = facts.viewOf(record);
    result.dependsOnMode = natures.of(module).mode;
    const Symbol *layer = moduleClassOf(module->type);
    result.isLayer = layer && layer->isFramework && layer->trait != Trait::Container &&
                     layer->trait != Trait::Opaque;
    if (event.kind == EventKind::Forward) {
      result.normalizesBatches = natures.of(module).normalizesBatches == Answer::Yes;
      result.layer = layerOf(*module, uses);
      result.parameters = parametersOf(*module, uses);
    }
    facts.complete(result);
    return result;
  }

  /// What an operator that moves a window makes of the shape of its first tensor.
  SizedLayer shapeOfOperator(const Event &event) const {
    llvm::SmallVector<const Node *, 8> numbers;
    for (const Node *argument : event.site->arguments)
      if (!argument->type || argument->type->role != TypeRole::Tensor)
        numbers.push_back(argument);
    return uses.shapeOf(event.typing->rule, numbers);
  }

  const LoweredUnit::Contents &unit;
  const ModuleUses uses;
  ModuleNatures natures;
  const ModulePhases phases;
  Registrations registrations;
  ModuleMembers members;
};

} // namespace

void findModules(LoweredUnit &unit) {
  const Constants constants(unit.contents());
  unit.setClasses(Modules(unit, constants).findAll());
}

} // namespace gradtidy
