// The modes and devices of modules, and what is done to their parameters.
#include "analyzer/flow/State.h"
#include "analyzer/flow/Words.h"

namespace gradtidy {

void describe(Words &words, const ModuleFacts &module) {
  static constexpr llvm::StringRef modes[] = {"as it was", "training", "evaluation",
                                              "evaluation, after training", "unknown"};
  if (module.mode != ModuleFacts::Entry)
    words.add("mode", module.mode, modes);
  words.addIf(module.isNull, "null");
  words.addIf(module.isTrained, "trained");
  words.addIf(module.isFrozen, "frozen");
  words.addIf(module.isNew, "new");
  words.addIf(module.isMade, "made here");
  words.addIf(module.isOwn, "own");
  words.addIf(module.isWeighted, "weighted");
  if (module.layer.operation != Operation::None)
    words.add("ends in " + operationName(module.layer.operation));
  words.addIf(module.dependsOnMode == Answer::Yes, "depends on mode");
  words.addIf(module.dependsOnMode == Answer::No, "of no mode");
  words.add("on", module.device);
  if (module.element != ElementType::Unknown)
    words.add("parameters of " + elementName(module.element));
  words.add("cast by", module.cast);
  words.add("loaded by", module.loaded);
  words.add("mode set by", module.set.event());
  words.add("placed by", module.placed.event());
  words.add("reloaded by", module.reloaded);
}

/// What is known of a part of which nothing is known but what is of the whole.
static ModuleFacts partOf(ModuleFacts whole) {
  whole.layer = {};
  whole.isContainer = false;
  if (whole.dependsOnMode == Answer::Yes) // Some part does.
    whole.dependsOnMode = Answer::Unknown;
  return whole;
}

ModuleFacts State::moduleAt(PathId object) const {
  PathTable &paths = tables->paths;
  if (object == paths.unknown()) {
    ModuleFacts unknown;
    unknown.mode = ModuleFacts::Unknown;
    return unknown;
  }
  for (PathId path = object; path; path = paths.parent(path)) {
    if (const ModuleFacts *facts = modules.find(path))
      return path == object ? *facts : partOf(*facts);
    if (PathStep last = paths.last(path); last.kind == PathStep::Element && last.index >= 0)
      if (const ModuleFacts *facts = modules.find(paths.element(paths.parent(path))))
        return path == object ? *facts : partOf(*facts);
  }
  ModuleFacts facts;
  if (isUnfilled(object))
    facts.mode = ModuleFacts::Unknown; // Whatever the function puts there.
  return facts;
}

bool State::isLocal(PathId root) const {
  const PathStep &step = tables->paths.last(root);
  if (step.kind != PathStep::Variable)
    return step.kind == PathStep::Temporary || step.kind == PathStep::Returned;
  const ir::Symbol &variable = *step.symbol();
  return variable.isLocal && variable.hasLocalStorage() && !variable.type->isReference;
}

bool State::isUnfilled(PathId element) const {
  const PathTable &paths = tables->paths;
  bool isElement = false;
  for (PathId path = element; path; path = paths.parent(path))
    isElement |= paths.last(path).kind == PathStep::Element;
  return isElement && isLocal(paths.rootOf(element)) && !isModuleAt(element);
}

void State::own(PathId object) {
  ModuleFacts facts = moduleAt(object);
  modules[object] = facts;
}

void State::addPart(PathId whole, const Operand &part) {
  const PathId object = resolve(part.path);
  if (part.fresh && isModule(part.role)) {
    if (!isModuleAt(whole))
      addElement(whole, moduleAt(object));
    return;
  }
  llvm::SmallVector<PathId, 4> added{object};
  if (isModule(part.role))
    shareModule(object);
  if (!isModule(part.role) && part.role != TypeRole::Optimizer)
    added = partsOf(object);
  for (PathId each : added)
    if (each && each != tables->paths.unknown() && !tables->paths.isWithin(each, whole))
      parts[{each, whole}] = true;
}

PathId State::certainModule(const Operand &module) const {
  PathTable &paths = tables->paths;
  const PathId object = resolve(module.path);
  if (!object || object == paths.unknown())
    return noPath;
  const auto isOneOfMany = [&](PathId path) {
    for (; path; path = paths.parent(path))
      if (const PathStep &step = paths.last(path); step.kind == PathStep::Element && step.index < 0)
        return true;
    return false;
  };
  // The variable of a loop is the same element until it is the next.
  const ir::Symbol *variable = paths.last(module.path).symbol();
  return isOneOfMany(object) && !(variable && variable->isRangeElement) ? noPath : object;
}

void State::registerPart(PathId whole, const Operand &part, const Event &event) {
  if (const PathId object = certainModule(part); object && whole)
    registered.add(whole, object, event);
}

void State::registerPart(const Event &event, FileId name) {
  const PathId whole = certainModule(event.subject);
  if (event.registers == Registers::Other)
    return registered.forgetParts(resolve(event.subject.path));
  if (!whole)
    return;
  if (event.registers == Registers::Module)
    registerPart(whole, event.operands.front(), event);
  else if (registersTied(event, *this))
    registered.addTied(whole, event);
  if (name != noFile)
    registered.addName(whole, name, event);
}

bool registersTied(const Event &event, const State &state) {
  if (event.registers != Registers::Parameter || event.constant != true)
    return false;
  const Value value = state.valueOf(event.operands.front());
  const SourcesTable &sources = state.tables->sources;
  const auto owners = sources.members(value.autograd.sources);
  return value.autograd.isParameter && !value.autograd.isRecorded && owners.size() == 1 &&
         !sources.isUnknown(value.autograd.sources) &&
         state.tables->paths.isWithin(owners.front(), state.resolve(event.subject.path));
}

bool State::isModuleAt(PathId path) const {
  for (; path; path = tables->paths.parent(path))
    if (modules.find(path))
      return true;
  return false;
}

void State::addElement(PathId container, const ModuleFacts &facts) {
  const PathId element = tables->paths.element(container);
  ModuleFacts *known = modules.edit(element);
  if (!known)
    modules[element] = facts;
  else if (known->mode |= facts.mode; !(known->device == facts.device))
    known->device = {};
}

llvm::SmallVector<PathId, 4> State::partsOf(PathId whole) const {
  const PathTable &paths = tables->paths;
  llvm::SmallVector<PathId, 4> found;
  for (const auto &[pair, isPart] : parts)
    if ((paths.isWithin(pair.second, whole) || paths.isWithin(whole, pair.second)) &&
        !paths.isWithin(pair.first, whole))
      found.push_back(pair.first);
  return found;
}

void State::setMode(PathId object, std::optional<bool> training, const Event &event) {
  PathTable &paths = tables->paths;
  if (object == paths.unknown()) {
    modules.change([](PathId, ModuleFacts &facts) { facts.mode = ModuleFacts::Unknown; });
    return;
  }
  const PathStep &last = paths.last(object);
  bool isOneOfMany = last.kind == PathStep::Element && last.index < 0;
  auto set = [&](ModuleFacts &facts, bool isPart) {
    std::uint8_t before = facts.mode;
    if (!training)
      facts.mode = ModuleFacts::Unknown;
    else if (*training)
      facts.mode = ModuleFacts::Training;
    else // Part of a module in training mode: kept from training on purpose.
      facts.mode = facts.isTrained && !isPart ? ModuleFacts::LeftTraining : ModuleFacts::Evaluation;
    if (isOneOfMany) // Of which one, nobody knows.
      facts.mode |= before | ModuleFacts::Unknown;
    facts.set = &event;
    facts.isTrainedSinceSet = false;
  };
  bool isPart = !modules.find(object) && moduleAt(object).mode == ModuleFacts::Training;
  const llvm::SmallVector<PathId, 4> held = partsOf(object);
  const bool isKnown = modules.find(object) || !held.empty();
  for (PathId path = object; path && !isKnown; path = paths.parent(path))
    if (paths.last(path).kind == PathStep::Element && paths.last(path).index < 0 &&
        paths.last(paths.rootOf(path)).kind == PathStep::Variable)
      modules.change([](PathId, ModuleFacts &facts) { // What is in a container of unknown contents.
        facts.mode |= ModuleFacts::Unknown;
      });
  own(object);
  modules.changeIf(
      paths.sameRoot(object),
      [&](const auto &entry) { return paths.isWithin(entry.first, object); },
      [&](PathId, ModuleFacts &facts) { set(facts, isPart); });
  for (PathId part : held) {
    own(part);
    modules.edit(part)->mode |= ModuleFacts::Unknown;
  }
}

void State::doubtModes(const State &before) {
  constexpr std::uint8_t evaluated = ModuleFacts::Evaluation | ModuleFacts::LeftTraining;
  modules.changeIf(
      [&](const auto &entry) {
        const auto &[path, facts] = entry;
        return facts.mode & ModuleFacts::Training && facts.mode & evaluated &&
               !(before.moduleAt(path).mode & evaluated);
      },
      [](PathId, ModuleFacts &facts) { facts.mode |= ModuleFacts::Unknown; });
}

void State::doubtSharedModes(const FunctionBody &starter) {
  const PathTable &paths = tables->paths;
  const auto isShared = [&](const auto &entry) {
    const PathStep &root = paths.last(PathTable::rootOf(entry.first));
    if (root.kind == PathStep::Variable)
      return !root.symbol()->isLocal;
    return root.kind == PathStep::This || starter.thisObject; // What a member may hold.
  };
  modules.changeIf(isShared,
                   [](PathId, ModuleFacts &facts) { facts.mode |= ModuleFacts::Unknown; });
}

void State::moveModule(PathId object, Device device, const Event *event) {
  PathTable &paths = tables->paths;
  if (object == paths.unknown()) {
    modules.change([](PathId, ModuleFacts &facts) {
      facts.device = facts.left = {};
      facts.reloaded = nullptr;
    });
    return;
  }
  own(object);
  const bool isFromFile =
      event && event->kind == EventKind::Load &&
      llvm::none_of(event->operands, [](const Operand &op) { return op.role == TypeRole::Device; });
  const auto range = paths.sameRoot(object);
  const auto isConcerned = [&](const auto &entry) {
    return paths.isWithin(entry.first, object) || paths.isWithin(object, entry.first);
  };
  modules.changeIf(range, isConcerned, [&](PathId path, ModuleFacts &facts) {
    if (paths.isWithin(path, object)) {
      if (!isFromFile) {
        facts.reloaded = nullptr;
        facts.left = {};
      } else if (facts.device.kind == Device::Symbol) {
        facts.reloaded = event;
        facts.left = facts.device;
      } else if (!facts.device.isKnown() && facts.left.isKnown()) {
        facts.reloaded = event;
      }
      facts.device = device;
      facts.placed = event;
    } else if (!(facts.device == device)) {
      facts.device = {}; // The other parts may follow.
    }
  });
  values.changeIf(
      range,
      [&](const auto &entry) {
        return entry.first != object && paths.isWithin(entry.first, object);
      },
      [](PathId, Value &value) {
        value.placement.device = {};
      }); // With the module if it is registered.
  for (PathId part : partsOf(object)) {
    own(part);
    modules.edit(part)->device = {};
  }
}

void State::changeModulesAt(PathId object,
                            llvm::function_ref<void(PathId path, ModuleFacts &)> change) {
  const PathTable &paths = tables->paths;
  if (object == tables->paths.unknown())
    modules.change(change);
  else
    modules.changeIf(
        paths.sameRoot(object),
        [&](const auto &entry) { return paths.overlap(entry.first, object); }, change);
}

void State::castModule(PathId object, ElementType element, const Event &event) {
  PathTable &paths = tables->paths;
  if (object != paths.unknown())
    own(object);
  changeModulesAt(object, [&](PathId path, ModuleFacts &facts) {
    const bool isPart = object != paths.unknown() && paths.isWithin(path, object);
    facts.element = isPart ? element : ElementType::Unknown; // The other parts stay.
    facts.cast = isPart ? &event : nullptr;
    facts.undone = nullptr;
  });
}

void State::loadElements(PathId object, const Event &load) {
  PathTable &paths = tables->paths;
  if (object != paths.unknown())
    own(object);
  changeModulesAt(object, [&](PathId path, ModuleFacts &facts) {
    const bool isPart = object != paths.unknown() && paths.isWithin(path, object);
    if (isPart && facts.cast) {
      facts.undone = &load;
    } else {
      facts.element = ElementType::Unknown;
      facts.cast = facts.undone = nullptr;
    }
  });
}

bool State::restoreMode(PathId object, PathId name, const Event &event) {
  const std::uint8_t *before = name ? keptModes.find(name) : nullptr;
  if (!before)
    return false;
  setMode(object, std::nullopt, event);
  const PathStep &last = tables->paths.last(object);
  if (last.kind == PathStep::Element && last.index < 0)
    return true; // Of which one, nobody knows.
  modules.changeIf(
      tables->paths.sameRoot(object),
      [&](const auto &entry) { return tables->paths.isWithin(entry.first, object); },
      [&](PathId, ModuleFacts &facts) { facts.mode = *before; });
  return true;
}

void State::replaceTensor(PathId object, Device device) {
  if (ModuleFacts *facts = modules.edit(object); facts && !(facts->device == device))
    facts->device = facts->isWeighted ? device : Device();
}

void State::moveParameters(SourcesId owners, Device device) {
  for (PathId owner : tables->sources.members(owners))
    modules.changeIf(
        tables->paths.sameRoot(owner),
        [&](const auto &entry) {
          return tables->paths.overlap(entry.first, owner) && !(entry.second.device == device);
        },
        [](PathId, ModuleFacts &facts) {
          facts.device = {};
          facts.placed = nullptr;
        });
}

void State::moduleMayChange(PathId object, llvm::ArrayRef<Device> devices) {
  PathTable &paths = tables->paths;
  if (object != paths.unknown())
    own(object);
  changeModulesAt(object, [&](PathId, ModuleFacts &facts) {
    facts.mode = ModuleFacts::Unknown;
    facts.isNew = facts.isOwn = false;
    facts.layer = {};
    facts.dependsOnMode = std::max(facts.dependsOnMode, Answer::Unknown); // It may get more parts.
    facts.element = ElementType::Unknown;
    facts.cast = facts.undone = facts.reloaded = nullptr;
    if (llvm::any_of(devices, [&](Device device) {
          return !device.isKnown() || !(device == facts.device);
        })) {
      facts.device = facts.left = {};
      facts.placed = nullptr;
    }
  });
}

void State::freeze(SourcesId parameters) {
  for (PathId path : tables->sources.members(parameters)) {
    ModuleFacts facts = moduleAt(path);
    facts.isFrozen = true;
    modules[path] = facts;
  }
}

void State::makeParameter(PathId object) {
  if (object == tables->paths.unknown())
    return;
  Value value = valueOf({object, TypeRole::Tensor});
  value.autograd.isParameter = true;
  value.autograd.graph = Graph::Attached;
  setValue(object, value);
}

void State::forgetParameters() {
  values.changeIf([](const auto &entry) { return entry.second.autograd.isParameter; },
                  [](PathId, Value &value) {
                    value.autograd.isParameter = false;
                    value.autograd.graph = Graph::Unknown;
                  });
}

void State::ageModules(SourcesId changed) {
  modules.changeIf(
      [&](const auto &entry) {
        return entry.second.isNew &&
               tables->sources.mayOverlap(changed, tables->sources.of(entry.first));
      },
      [](PathId, ModuleFacts &facts) { facts.isNew = false; });
}

void State::markTrained(SourcesId reached) {
  for (PathId source : tables->sources.members(reached))
    modules.changeIf(
        tables->paths.sameRoot(source),
        [&](const auto &entry) { return tables->paths.overlap(entry.first, source); },
        [](PathId, ModuleFacts &facts) { facts.isTrained = facts.isTrainedSinceSet = true; });
  ageModules(reached); // By a step, or by hand.
}

void State::markChanged(SourcesId parameters) {
  ageModules(parameters);
  for (PathId source : tables->sources.members(parameters))
    disown(source);
}

void State::markStepped(SourcesId parameters, const Event &step) {
  ageModules(parameters);
  values.changeIf(
      [&](const auto &entry) {
        const Value &value = entry.second;
        return value.lending.taken && !value.lending.changed &&
               tables->sources.mayOverlap(value.lending.shared, parameters);
      },
      [&](PathId, Value &value) { value.lending.changed = &step; });
}

void State::disown(PathId module) {
  modules.changeIf(
      tables->paths.sameRoot(module),
      [&](const auto &entry) { return tables->paths.overlap(entry.first, module); },
      [](PathId, ModuleFacts &facts) { facts.isOwn = false; });
}

void State::shareModule(PathId module) {
  modules.changeIf(
      tables->paths.sameRoot(module),
      [&](const auto &entry) { return tables->paths.overlap(entry.first, module); },
      [](PathId, ModuleFacts &facts) { facts.isMade = facts.isOwn = false; });
}

SourcesId State::memoryOf(const Operand &operand) const {
  const PathId object = resolve(operand.path);
  const Value *known = findValue(object);
  if (known && known->lending.taken)
    return known->lending.shared;
  const bool isNamed = object != tables->paths.unknown() && !tables->paths.isTemporary(object);
  const PathId whole = tables->paths.parent(object);
  const bool isOfModule = whole && !known && isModuleAt(whole);
  return isNamed && (isOfModule || (known && isLeaf(*known))) ? tables->sources.of(object)
                                                              : noSources;
}

void State::outdateOptimizers(PathId part, const Event &event) {
  // The old module may live on by another name.
  const bool isShared = llvm::any_of(aliases,
                                     [&](const auto &entry) {
                                       return !entry.second.isReference &&
                                              tables->paths.isWithin(entry.second.target, part) &&
                                              !tables->paths.isTemporary(entry.first);
                                     }) ||
                        llvm::any_of(parts, [&](const auto &entry) {
                          return tables->paths.isWithin(entry.first.first, part);
                        });
  if (isShared && event.kind == EventKind::Bind)
    return;
  optimizers.changeIf(
      [&](const auto &entry) {
        const SourcesId owned = entry.second.owned;
        return tables->sources.covers(owned, tables->sources.of(part)) ||
               llvm::any_of(tables->sources.members(owned),
                            [&](PathId each) { return tables->paths.isWithin(each, part); });
      },
      [&](PathId, OptimizerFacts &facts) {
        facts.outdated = &event;
        facts.outdatedPart = part;
      });
}

void State::joinModules(const State &other, Junction junction) {
  PathTable &paths = tables->paths;
  auto join = [&](ModuleFacts &facts, const ModuleFacts &there, bool lacksGpu) {
    if (facts.isNull || there.isNull) { // Whoever uses it has the other one.
      facts = facts.isNull ? there : facts;
      return;
    }
    facts.mode |= there.mode;
    facts.isTrained |= there.isTrained;
    facts.isTrainedSinceSet |= there.isTrainedSinceSet;
    facts.isFrozen &= there.isFrozen;
    facts.isNew &= there.isNew;
    facts.isMade &= there.isMade;
    if (!(facts.layer == there.layer))
      facts.layer = {};
    facts.isContainer &= there.isContainer;
    if (facts.dependsOnMode != there.dependsOnMode)
      facts.dependsOnMode = Answer::Unknown;
    facts.isOwn &= there.isOwn;
    if (facts.element != there.element || facts.cast != there.cast) {
      facts.element = ElementType::Unknown;
      facts.cast = nullptr;
    }
    if (facts.undone != there.undone)
      facts.undone = nullptr;
    if (facts.loaded != there.loaded)
      facts.loaded = nullptr;
    if (there.reloaded && !facts.reloaded) {
      facts.reloaded = there.reloaded;
      facts.left = there.left;
    } else if (!there.reloaded && !facts.reloaded && !(facts.left == there.left)) {
      facts.left = {};
    }
    // What left the training mode explains more than what came back to it.
    if (!facts.set || (there.mode & ModuleFacts::LeftTraining && there.set))
      facts.set = there.set;
    // As with values: where a loop is entered is where it goes wrong first.
    if (junction == Junction::LoopEntry)
      facts.device = there.device;
    else if (isAboutGpu(other) && lacksGpu) {
      facts.device = there.device;
      facts.placed = there.placed;
      return;
    } else if (isAboutGpu(other)) {
      return;
    } else if (junction != Junction::LoopBack && !(facts.device == there.device)) {
      facts.device = {};
      facts.placed = nullptr;
      return;
    }
    if (!facts.placed)
      facts.placed = there.placed;
  };
  // What both have in common is joined already.
  const auto different = modules.differences(other.modules);
  for (PathId path : different)
    if (modules.find(path) &&
        (other.modules.find(path) || !(paths.isTemporary(path) || other.isUnfilled(path))))
      join(*modules.edit(path), other.moduleAt(path), lacksGpu);
  for (PathId path : different)
    if (const ModuleFacts *there = other.modules.find(path); there && !modules.find(path)) {
      ModuleFacts both = *there;
      if (!(paths.isTemporary(path) || isUnfilled(path)))
        join(both, moduleAt(path), other.lacksGpu);
      modules[path] = both;
    }

  // A device chosen under a condition is one choice of the program, the same wherever it is used.
  for (PathId path : devices.differences(other.devices)) {
    const Device *here = devices.find(path), *there = other.devices.find(path);
    if (!(here && there && *here == *there))
      devices[path] = {Device::Symbol, path};
  }
}

} // namespace gradtidy
