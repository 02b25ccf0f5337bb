#include "State.h"

#include "Arguments.h"

#include "llvm/ADT/DenseSet.h"

namespace gradtidy {

// --- names

const Alias *State::aliasOf(PathId path) const {
  if (const Alias *alias = aliases.find(path))
    return alias;
  const PathStep &last = tables->paths.last(path);
  if (last.kind == PathStep::Element && last.index >= 0)
    return aliases.find(tables->paths.element(tables->paths.parent(path)));
  return nullptr;
}

PathId State::resolve(PathId path) const {
  unsigned hops = 0;
  return follow(path, /*throughPointers=*/true, hops);
}

bool State::anyPartIs(llvm::function_ref<bool(PathId object)> one) const {
  return llvm::any_of(aliases, [&](const auto &entry) {
    return tables->paths.parent(entry.first) && one(entry.second.target);
  });
}

PathId State::place(PathId path) const {
  unsigned hops = 0;
  return follow(path, /*throughPointers=*/false, hops);
}

PathId State::follow(PathId path, bool throughPointers, unsigned &hops) const {
  // Names may denote what lies below each other: a walk through a tree, say.
  constexpr unsigned mostHops = 32;
  PathTable &paths = tables->paths;
  while (hops <= mostHops) {
    if (PathId parent = paths.parent(path)) {
      PathId object = follow(parent, /*throughPointers=*/true, hops);
      if (object == paths.unknown())
        return object;
      if (object != parent)
        path = paths.step(object, paths.last(path));
    }
    const Alias *alias = aliasOf(path);
    if (!alias || !(alias->isReference || throughPointers) || alias->target == path)
      return path;
    path = alias->target;
    ++hops;
  }
  return paths.unknown();
}

template <typename Visit> void State::forEachMap(Visit visit) {
  visit(aliases);
  visit(values);
  visit(optimizers);
  visit(modules);
  visit(devices);
  visit(guards);
  visit(kept);
  visit(keptModes);
  visit(casters);
  visit(unfinished);
  visit(lists);
}

void State::forget(PathId path, bool isOverwritten) {
  const PathTable &paths = tables->paths;
  const auto isForgotten = [&](const auto &entry) { return paths.isWithin(entry.first, path); };
  forEachMap([&](auto &map) { map.eraseIf(paths.sameRoot(path), isForgotten); });
  settled.eraseIf(paths.sameRoot(path), isForgotten);
  changeText(path);
  parts.eraseIf([&](const auto &entry) {
    return paths.isWithin(entry.first.first, path) || paths.isWithin(entry.first.second, path);
  });
  registered.forget([&](PathId module) { return paths.isWithin(module, path); });
  forgetLists([&](PathId module) { return paths.isWithin(module, path); });
  const PathId unknown = tables->paths.unknown();
  if (mayBeTarget(path)) {
    tables->targets.insert(unknown);
    aliases.changeIf(
        [&](const auto &entry) {
          const Alias &alias = entry.second;
          return paths.isWithin(alias.target, path) &&
                 !(isOverwritten && alias.isReference && alias.target == path);
        },
        [&](PathId, Alias &alias) { alias.target = unknown; });
  }
  auto isOther = [&](PathId module) { return !paths.isWithin(module, path); };
  if (tables->lenders.contains(paths.rootOf(path)))
    values.changeIf(
        [&](const auto &entry) {
          const Value &value = entry.second;
          return value.lending.taken &&
                 !llvm::all_of(tables->sources.members(value.lending.shared), isOther);
        },
        [](PathId, Value &value) {
          value.lending.taken = value.lending.changed = nullptr;
          value.lending.shared = noSources;
        });
  casting.kept = tables->sources.filter(casting.kept, isOther);
  casting.stale = tables->sources.filter(casting.stale, isOther);
}

void State::endLifetime(PathId path) {
  if (tables->lenders.contains(path))
    values.changeIf(
        [&](const auto &entry) {
          const Event *borrowed = entry.second.lending.borrowed;
          return borrowed && tables->paths.rootOf(borrowed->memory) == path;
        },
        [](PathId, Value &value) { value.lending.borrowed = nullptr; }); // Said once.
  if (!mayBeTarget(path))
    return forget(path);
  PathId heir = noPath;
  for (const auto &[name, alias] : aliases)
    if (alias.target == path && !alias.isReference &&
        (!heir || (tables->paths.isTemporary(heir) && !tables->paths.isTemporary(name))))
      heir = name;
  if (!heir)
    return forget(path);
  unbind(heir);
  rename(path, heir);
}

PathId State::rebase(PathId path, PathId from, PathId to) const {
  PathTable &paths = tables->paths;
  if (path == from)
    return to;
  PathStep last = paths.last(path);
  return paths.step(rebase(paths.parent(path), from, to), last);
}

/// What holds itself, or what holds it, would grow with every round of a loop.
bool State::isTooDeep(PathId path, PathId from, PathId to) const {
  constexpr unsigned mostSteps = 16;
  const PathTable &paths = tables->paths;
  return paths.isWithin(to, from) ||
         paths.depthOf(path) - paths.depthOf(from) + paths.depthOf(to) > mostSteps;
}

void State::unbind(PathId name) { aliases.erase(name); }

void State::copy(PathId from, PathId to) {
  auto copyBelow = [&](auto &map) {
    const auto known = map.within(tables->paths.sameRoot(from));
    for (const auto &[path, fact] : std::vector(known.begin(), known.end()))
      if (tables->paths.isWithin(path, from) && !isTooDeep(path, from, to))
        map[rebase(path, from, to)] = fact;
  };
  forEachMap(copyBelow);
}

void State::rename(PathId from, PathId to) {
  const PathTable &paths = tables->paths;
  if (from == to)
    return;
  copy(from, to);
  forEachMap([&](auto &map) {
    map.eraseIf(paths.sameRoot(from),
                [&](const auto &entry) { return paths.isWithin(entry.first, from); });
  });
  if (tables->lenders.contains(paths.rootOf(from)))
    tables->lenders.insert(paths.rootOf(to));
  auto renamed = [&](PathId path) {
    return paths.isWithin(path, from) ? rebase(path, from, to) : path;
  };
  if (mayBeTarget(from)) {
    tables->targets.insert(paths.rootOf(to));
    aliases.changeIf([&](const auto &entry) { return paths.isWithin(entry.second.target, from); },
                     [&](PathId, Alias &alias) { alias.target = renamed(alias.target); });
  }
  const auto isPartRenamed = [&](const auto &entry) {
    return paths.isWithin(entry.first.first, from) || paths.isWithin(entry.first.second, from);
  };
  if (llvm::any_of(parts, isPartRenamed)) {
    const auto before = parts;
    parts.eraseIf(isPartRenamed);
    for (const auto &entry : before)
      if (isPartRenamed(entry))
        parts[{renamed(entry.first.first), renamed(entry.first.second)}] = entry.second;
  }
  registered.rename(renamed);
  const auto isRenamed = [&](SourcesId set) {
    return llvm::any_of(tables->sources.members(set),
                        [&](PathId path) { return paths.isWithin(path, from); });
  };
  if (tables->sources.mayMention(from))
    values.changeIf(
        [&](const auto &entry) {
          return isRenamed(entry.second.autograd.sources) ||
                 isRenamed(entry.second.lending.shared) || isRenamed(entry.second.origin.copied);
        },
        [&](PathId, Value &value) {
          value.autograd.sources = tables->sources.map(value.autograd.sources, renamed);
          value.lending.shared = tables->sources.map(value.lending.shared, renamed);
          value.origin.copied = tables->sources.map(value.origin.copied, renamed);
        });
  optimizers.changeIf(
      [&](const auto &entry) {
        return isRenamed(entry.second.owned) || isRenamed(entry.second.whole) ||
               paths.isWithin(entry.second.outdatedPart, from);
      },
      [&](PathId, OptimizerFacts &facts) {
        facts.owned = tables->sources.map(facts.owned, renamed);
        facts.whole = tables->sources.map(facts.whole, renamed);
        facts.outdatedPart = renamed(facts.outdatedPart);
      });
  lists.changeIf(
      [&](const auto &entry) { return isRenamed(entry.second.whole); },
      [&](PathId, ListFacts &facts) { facts.whole = tables->sources.map(facts.whole, renamed); });
  casting.kept = tables->sources.map(casting.kept, renamed);
  casting.stale = tables->sources.map(casting.stale, renamed);
}

void State::bind(PathId name, BindKind kind, TypeRole role, const Operand *value) {
  PathTable &paths = tables->paths;
  PathId target = value ? resolve(value->path) : noPath;
  Value contents = value ? valueOf(*value) : Value{};
  if (value && isNumber(*value))
    contents.look = {}; // What is read through a pointer leads nowhere.
  PathId to = place(name);
  if (const ir::Symbol *variable = paths.last(name).symbol();
      variable && variable->isRangeElement && target) // The next element.
    registered.forgetElements([&](PathId module) { return paths.isWithin(module, target); });
  if (to == paths.unknown() || target == to)
    return;
  const PathStep &last = paths.last(to);
  bool isOneOfMany = last.kind == PathStep::Element && last.index < 0;
  if (isOneOfMany || (kind == BindKind::Value && isOneOfAll(name))) {
    contents.autograd.latest = {};
    if (kind == BindKind::Value)
      addValue(to, contents);
    else if (value && value->isGivenAway && role == TypeRole::None) // It has no other name.
      addParts(paths.parent(to), target, noSources);
    else if (value && !value->fresh)
      setAlias(to, {paths.unknown(), false});
    return;
  }
  const bool isPart = value && modules.find(paths.parent(to)) && isOnlyTemporary(target);
  // An object of which its constructor tells nothing as a whole: its members speak for themselves.
  const bool isOfParts = value && value->fresh && role == TypeRole::None && !findValue(target);
  if (value && value->fresh)
    target = value->path;
  if (kind == BindKind::Value && value && paths.isWithin(target, to)) {
    // `node = node.next`: what the old object was is gone.
    forget(to, true);
    setValue(to, contents);
    return;
  }
  Device device = value && role == TypeRole::Device ? deviceOf(*value) : Device{};
  // Pointers lead there still; what holds a gradient keeps the one that it has.
  llvm::SmallVector<PathId, 2> pointers;
  if (kind == BindKind::Value && last.kind != PathStep::Gradient && mayBeTarget(to))
    for (const auto &[pointer, alias] : aliases)
      if (alias.target == to && !alias.isReference && !paths.isWithin(pointer, to))
        pointers.push_back(pointer);
  forget(to, true);
  for (PathId pointer : pointers)
    setAlias(pointer, {to, false});
  if (!value)
    return;
  const bool isConstant = role == TypeRole::Device && value->device.isKnown();
  if (kind == BindKind::Reference && isConstant) {
    devices[to] = value->device; // Whatever others call it.
  } else if (kind == BindKind::Reference) {
    setAlias(to, {target, true});
  } else if ((value->fresh && !value->isClosure) || (isPart && kind == BindKind::Handle)) {
    rename(target, to);
  } else if (kind == BindKind::Handle) {
    setAlias(to, {target, false});
    if (last.kind == PathStep::Element) // `modules["encoder"] = encoder`
      addPart(paths.parent(to), *value);
  } else if (target != paths.unknown()) {
    copy(target, to);
    addPart(to, *value);
  }
  if (role == TypeRole::Device && kind == BindKind::Value)
    devices[to] = device;
  // What was chosen in an expression is from now on known by the name of the variable.
  if (const Device *chosen = devices.find(to);
      chosen && chosen->kind == Device::Symbol && paths.isTemporary(chosen->id)) {
    settleDevice(to, settledDevice(*chosen));
    devices[to] = {Device::Symbol, to};
  }
  if (kind == BindKind::Value && mayHoldTensors(role) && !isOfParts) {
    // A tensor made of nothing that has gradients may be a parameter itself.
    if (contents.autograd.sources == noSources && role == TypeRole::Tensor)
      contents.autograd.sources = tables->sources.of(to);
    setValue(to, contents);
    mayBeMoved(to, contents.placement.device);
  }
}

bool State::isOnlyTemporary(PathId object) const {
  const PathTable &paths = tables->paths;
  const ModuleFacts *facts = modules.find(object);
  return facts && facts->isNew && paths.isTemporary(object) && paths.rootOf(object) == object &&
         (!mayBeTarget(object) ||
          llvm::none_of(aliases, [&](const auto &entry) { return entry.second.target == object; }));
}

void State::mayBeMoved(PathId place, Device device) {
  const PathTable &paths = tables->paths;
  if (!paths.hasElement(place))
    return; // What overlaps with it is within it, or it within that.
  values.changeIf(
      paths.sameRoot(place),
      [&](const auto &entry) {
        const auto &[path, value] = entry;
        return !(value.placement.device == device) && paths.overlap(path, place) &&
               !paths.isWithin(path, place) && !paths.isWithin(place, path);
      },
      [](PathId, Value &value) { value.placement.device = {}; });
}

void State::doubtDevice(PathId tensor) {
  const PathId object = resolve(tensor);
  if (const Value *known = findValue(object);
      known && (known->placement.device.kind == Device::Cpu || known->placement.madeOnHost ||
                known->lending.borrowed)) {
    Value value = *known;
    value.placement.device = {};
    value.placement.madeOnHost = value.lending.borrowed = nullptr;
    values[object] = value;
  }
}

void State::settleDevice(PathId symbol, Device device) {
  if (device.isKnown() && !(device == Device{Device::Symbol, symbol}))
    settled[symbol] = device;
  else
    settled.erase(symbol);
}

Device State::settledDevice(Device device) const {
  const Device *known = device.kind == Device::Symbol ? settled.find(device.id) : nullptr;
  return known ? *known : device;
}

void State::dropTemporaries(llvm::ArrayRef<PathId> roots) {
  const PathTable &paths = tables->paths;
  llvm::SmallDenseSet<PathId, 16> dead(roots.begin(), roots.end());
  if (llvm::any_of(dead, [&](PathId root) { return mayBeTarget(root); }))
    for (const auto &[name, alias] : aliases)
      if (PathId root = paths.rootOf(alias.target); !dead.contains(paths.rootOf(name)))
        dead.erase(root);
  if (dead.empty())
    return;
  forEachMap([&](auto &map) {
    for (PathId root : dead)
      map.eraseIf(paths.sameRoot(root), [](const auto &) { return true; });
  });
  parts.eraseIf([&](const auto &entry) {
    return dead.contains(paths.rootOf(entry.first.first)) ||
           dead.contains(paths.rootOf(entry.first.second));
  });
  const auto isDead = [&](PathId module) { return dead.contains(paths.rootOf(module)); };
  registered.forget(isDead);
  forgetLists(isDead);
}

void State::shareElements(PathId container) {
  setAlias(tables->paths.element(resolve(container)), {tables->paths.unknown(), false});
}

// --- values

const Value *State::findValue(PathId path) const {
  for (; path; path = tables->paths.parent(path)) {
    if (const Value *value = values.find(path))
      return value;
    if (tables->paths.last(path).kind == PathStep::Member) // Elements are alike in their parts.
      if (const Value *value = values.find(tables->paths.anyElement(path)))
        return value;
  }
  return nullptr;
}

TypeId State::typeOfElements(const Operand &list) const {
  Operand element = list;
  element.path = tables->paths.element(resolve(list.path));
  element.role = TypeRole::Tensor;
  return valueOf(element).layout.type;
}

std::uint8_t State::gradientsAskedBy(const Operand &options) const {
  const Value *known = options.path ? values.find(resolve(options.path)) : nullptr;
  return known && known->autograd.graph & Graph::Attached ? known->autograd.graph : 0;
}

Value State::valueOf(const Operand &operand) const {
  PathTable &paths = tables->paths;
  PathId path = resolve(operand.path);
  Value value;
  if (isModule(operand.role)) {
    ModuleFacts facts = moduleAt(path);
    value.autograd.graph = facts.isFrozen ? Graph::Detached : Graph::Attached;
    value.placement.device = facts.device;
    value.placement.placed = facts.placed;
  } else if (paths.last(path).kind == PathStep::Gradient) {
    if (const Value *parameter = findValue(paths.parent(path)))
      value.placement.device = parameter->placement.device;
    value.autograd.graph = gradientGraphs == noSources ? Graph::Detached : Graph::Attached;
    value.autograd.history = value.autograd.graphs = gradientGraphs;
  } else {
    const Value *known = findValue(path);
    if (known)
      value = *known;
    else
      value.layout.type = noType;
    // What a module gives in one piece has one graph; what lists and structs hold, several.
    const bool isPartOfOther = !values.find(path);
    if (isPartOfOther && !(value.origin.made && value.origin.made->kind == EventKind::Forward))
      value.autograd.latest = {};
    const bool isOneOfSeveral = tables->sources.members(value.storage.elements).size() > 1;
    if (isPartOfOther && (value.autograd.graph != Graph::Attached || isOneOfSeveral))
      value.autograd.derived = nullptr; // One of several may be a leaf.
    if (isPartOfOther) {
      value.storage.saved = noSources;
      value.storage.overwritten = nullptr;
      value.storage.origin = value.storage.object = value.storage.tensor = noPath;
      if (const auto held = tables->sources.members(value.storage.elements); held.size() == 1)
        value.storage.tensor = held.front(); // All of them are one.
      value.look = {};
    }
    const auto mayBeIt = [&](PathId part) { // Any element may be that one.
      return paths.overlap(part, path) && !paths.isWithin(part, path) &&
             !paths.isWithin(path, part);
    };
    const auto isPart = [&](PathId part) {
      return operand.role == TypeRole::None && part != path && paths.isWithin(part, path);
    };
    const bool isUnset = value.placement.device.kind == Device::Unset; // It is where its parts are.
    bool isPlaced = false;
    const bool hasOthers = operand.role == TypeRole::None || paths.hasElement(path);
    for (const auto &[part, contents] : values.within(paths.sameRoot(path))) {
      if (!hasOthers)
        break; // Nothing is a part of it, or may be it.
      if (isUnset && isPart(part) && contents.placement.device.kind != Device::Unset) {
        if (!std::exchange(isPlaced, true))
          value.stayOn(contents);
        else if (!(contents.placement.device == value.placement.device))
          value.placement.device = {};
      }
      if (mayBeIt(part) && !(contents.placement.device == value.placement.device))
        value.placement.device = {}; // It may have been moved since.
      if (mayBeIt(part) && contents.origin.made != value.origin.made)
        value.origin.made = nullptr;
      if (mayBeIt(part))
        value.layout.type = tables->types.join(value.layout.type, contents.layout.type);
      if (isPart(part) || mayBeIt(part)) {
        value.autograd.add(contents.autograd, *tables);
        if (!value.lending.borrowed)
          value.lending.borrowed = contents.lending.borrowed;
      }
      if (mayBeIt(part))
        value.autograd.latest = {};
      else if (isPart(part))
        value.autograd.latest =
            unitedGraphs(value.autograd.latest, contents.autograd.latest, *tables);
    }
    if (!known && value.layout.type == noType)
      value.layout.type = unknownType;
  }
  value.autograd.sources = sourcesOf(operand);
  if (operand.role == TypeRole::Tensor && operand.device.kind == Device::Cpu &&
      !value.placement.device.isKnown()) {
    value.placement.device = operand.device;
    value.placement.hasDimensions = true;
  }
  return value;
}

llvm::SmallVector<State::Borrower, 2> State::borrowersOf(PathId owner) const {
  llvm::SmallVector<Borrower, 2> found;
  if (!tables->lenders.contains(owner))
    return found;
  for (const auto &[path, value] : values)
    if (value.lending.borrowed && tables->paths.rootOf(value.lending.borrowed->memory) == owner)
      found.push_back({path, &value});
  return found;
}

bool State::keepsGraph(SiteId site) const {
  return llvm::any_of(values, [&](const auto &entry) {
    return !tables->paths.isTemporary(entry.first) &&
           llvm::is_contained(tables->histories.members(entry.second.autograd.graphs), site);
  });
}

void State::divide(PathId part) {
  for (PathId whole = tables->paths.parent(part); whole; whole = tables->paths.parent(whole))
    if (Value *value = values.edit(whole)) {
      value->autograd.latest = {};
      value->storage.elements = noSources;
    }
}

void State::setValue(PathId path, const Value &value) {
  divide(path);
  values[path] = value;
}

/// Whether it may be that of a list, or of what else holds several tensors.
static bool holdsSeveral(const Value &value) {
  return !value.storage.object && !value.storage.memory;
}

bool State::isOneOfAll(PathId name) const {
  const PathStep &root = tables->paths.last(PathTable::rootOf(name));
  return root.kind == PathStep::Variable && root.symbol()->isRangeElement &&
         !root.symbol()->seesAll && resolve(name) != name;
}

bool State::isEach(PathId name) const {
  const PathStep &root = tables->paths.last(PathTable::rootOf(name));
  return name && root.kind == PathStep::Variable && root.symbol()->seesAll;
}

void State::setElements(PathId list, SourcesId tensors) {
  const PathId object = resolve(list);
  if (const Value *known = values.find(object); known && known->storage.elements != tensors)
    values.edit(object)->storage.elements = tensors;
}

void State::changeType(const Operand &tensor, const Value &changed) {
  const PathId object = resolve(tensor.path);
  if (object == tables->paths.unknown())
    return;
  const Value before = valueOf(tensor);
  Value value = before;
  value.layout.type = changed.layout.type;
  value.meaning.order = changed.meaning.order;
  setValue(object, value);
  if (!(before.layout == value.layout))
    changeHandles(object, before, [&](Value &other) {
      other.layout.type = value.layout.type;
      other.meaning.order = value.meaning.order;
      other.placement.hasDimensions = changed.placement.hasDimensions;
    });
}

void State::changeHandles(PathId object, const Value &before,
                          llvm::function_ref<void(Value &)> change, bool isEach) {
  const Storage &storage = before.storage;
  const auto isKnown = [&](PathId name) { return name && name != tables->paths.unknown(); };
  const auto isAmong = [&](PathId tensor, SourcesId tensors) {
    return llvm::is_contained(tables->sources.members(tensors), tensor);
  };
  // The table of sources grows meanwhile.
  const auto members = tables->sources.members(isEach ? storage.elements : noSources);
  const llvm::SmallVector<PathId, 4> all(members.begin(), members.end());
  const auto isChanged = [&](PathId tensor) { return llvm::is_contained(all, tensor); };
  const auto isSame = [&](const Value &value) {
    if (!all.empty()) {
      const auto held = tables->sources.members(value.storage.elements);
      return isChanged(value.storage.tensor) || (!held.empty() && llvm::all_of(held, isChanged));
    }
    return (storage.tensor && value.storage.tensor == storage.tensor) ||
           (isKnown(storage.object) && value.storage.object == storage.object);
  };
  const auto haveCommonSource = [&](const Value &value) {
    const auto sources = tables->sources.members(before.autograd.sources);
    return llvm::any_of(tables->sources.members(value.autograd.sources),
                        [&](PathId path) { return llvm::is_contained(sources, path); });
  };
  const auto mayBe = [&](const Value &value) {
    if (isKnown(storage.object) && isKnown(value.storage.object))
      return false;
    if (storage.tensor && value.storage.tensor)
      return false;
    if (storage.elements != noSources && value.storage.tensor)
      return isAmong(value.storage.tensor, storage.elements);
    if (value.storage.elements != noSources && storage.tensor)
      return isAmong(storage.tensor, value.storage.elements);
    if (storage.memory && value.storage.memory)
      return storage.memory == value.storage.memory;
    const TypeId both = tables->types.join(before.layout.type, value.layout.type);
    const bool isAlike = both == before.layout.type || both == value.layout.type;
    return (before.origin.made && before.origin.made == value.origin.made) ||
           ((isAlike || holdsSeveral(value)) && haveCommonSource(value));
  };
  values.changeIf(
      [&](const auto &entry) {
        return entry.first != object && (isSame(entry.second) || mayBe(entry.second));
      },
      [&](PathId, Value &value) {
        Value changed = value;
        change(changed);
        value = isSame(value) ? changed : joined(value, changed, *tables);
      });
}

void State::recordInMemory(PathId object) {
  const Value *known = findValue(object);
  const PathId memory = known ? known->storage.memory : noPath;
  if (!memory || !(known->autograd.graph & (Graph::Attached | Graph::Unrecorded)))
    return;
  const Value written = *known;
  const PathId handle = written.storage.object;
  const bool isKnown = handle && handle != tables->paths.unknown();
  values.changeIf(
      [&](const auto &entry) {
        return entry.first != object && entry.second.storage.memory == memory;
      },
      [&](PathId, Value &value) {
        if (isKnown && value.storage.object == handle)
          value.autograd = written.autograd;
        else
          value.autograd = joined(value.autograd, written.autograd, *tables);
      });
  const auto sources = tables->sources.members(written.autograd.sources);
  values.changeIf(
      [&](const auto &entry) {
        const Value &value = entry.second;
        return holdsSeveral(value) && !value.autograd.mayHaveGraph() &&
               llvm::any_of(tables->sources.members(value.autograd.sources),
                            [&](PathId path) { return llvm::is_contained(sources, path); });
      },
      [&](PathId, Value &value) { value.autograd.graph |= Graph::Unknown; });
}

void State::addValue(PathId path, const Value &value) {
  divide(path);
  Value both = value;
  if (const Value *known = findValue(path))
    both = eitherOf(*known, value);
  values[path] = both;
  if (Value *any = values.edit(tables->paths.element(path))) // One of them may be another one.
    *any = eitherOf(*any, value);
  mayBeMoved(path, value.placement.device);
}

void State::addParts(PathId container, PathId part, SourcesId storedAt) {
  if (!findValue(container))
    return; // Others may have put elements into it.
  const PathId element = tables->paths.element(container);
  const bool isFirst = isOfNone(element);
  const auto known = values.within(tables->paths.sameRoot(part));
  for (const auto &[path, value] : std::vector(known.begin(), known.end()))
    if (path != part && tables->paths.isWithin(path, part) && !isTooDeep(path, part, element)) {
      Value stored = value;
      if (stored.autograd.graph & Graph::Attached) {
        stored.autograd.history = tables->histories.join(stored.autograd.history, storedAt);
        stored.autograd.graphs = tables->histories.join(stored.autograd.graphs, storedAt);
      }
      const PathId place = rebase(path, part, element);
      if (isFirst)
        setValue(place, stored);
      else
        addValue(place, stored);
    }
}

void State::listParts(PathId list, llvm::ArrayRef<Operand> elements) {
  const PathId element = tables->paths.element(list);
  llvm::MapVector<PathId, Value> inAll;
  for (const Operand &one : elements) {
    const PathId part = resolve(one.path);
    llvm::MapVector<PathId, Value> here;
    for (const auto &[path, value] : values.within(tables->paths.sameRoot(part)))
      if (path != part && tables->paths.isWithin(path, part) && !isTooDeep(path, part, element))
        here.insert({rebase(path, part, element), value});
    if (&one == elements.begin()) {
      inAll = std::move(here);
      continue;
    }
    inAll.remove_if([&](const auto &entry) { return !here.contains(entry.first); });
    for (auto &[path, value] : inAll)
      value = eitherOf(value, here.find(path)->second);
  }
  for (auto &[path, value] : inAll) {
    value.autograd.latest = {}; // Each has a graph of its own.
    values[path] = value;
  }
}

void State::copyParts(PathId from, PathId to) {
  const auto known = values.within(tables->paths.sameRoot(from));
  for (const auto &[path, value] : std::vector(known.begin(), known.end()))
    if (path != from && tables->paths.isWithin(path, from) && !isTooDeep(path, from, to))
      values[rebase(path, from, to)] = value;
}

void State::replaceElements(PathId element, const Value &value) {
  const PathTable &paths = tables->paths;
  const auto isAny = [&](PathId path) {
    const PathStep &last = paths.last(path);
    return last.kind == PathStep::Element && last.index < 0;
  };
  Value any = value; // Each has a graph and memory of its own.
  any.autograd.latest = {};
  any.storage.memory = any.storage.origin = any.storage.object = any.storage.tensor = noPath;
  if (paths.hasElement(element)) // What is known of one of them.
    values.eraseIf(paths.sameRoot(element), [&](const auto &entry) {
      return !isAny(entry.first) && paths.hasElement(entry.first) && entry.first != element &&
             paths.overlap(entry.first, element) &&
             paths.depthOf(entry.first) >= paths.depthOf(element);
    });
  for (; isAny(element); element = paths.parent(element)) {
    values[element] = any;
    if (Value *all = values.edit(paths.parent(element)))
      *all = any;
  }
}

void State::changeValue(PathId name, const Value &value) {
  const PathId object = resolve(name);
  if (object == tables->paths.unknown())
    return;
  if (isOneOfAll(name))
    return addValue(object, value);
  setValue(object, value);
  if (isEach(name))
    replaceElements(object, value);
}

// --- join

bool State::holdsOwn(PathId name) const {
  const Alias *alias = aliases.find(name);
  const PathId object = alias ? alias->target : name;
  const bool isNameless = !alias || (!alias->isReference && tables->paths.isTemporary(object) &&
                                     tables->paths.rootOf(object) == object);
  const ModuleFacts *module = modules.find(object);
  return isNameless && module && !module->isNull;
}

void State::nameHeld(PathId name) {
  const Alias *alias = aliases.find(name);
  if (!alias)
    return;
  const PathId object = alias->target;
  unbind(name);
  rename(object, name);
}

void State::join(const State &other, Junction junction) {
  const auto names = aliases.differences(other.aliases);
  // What a variable holds on each of two ways, made there, is the variable's behind them.
  llvm::SmallVector<PathId, 2> holders;
  if (junction == Junction::Branches)
    for (PathId name : names) {
      const Alias *here = aliases.find(name), *there = other.aliases.find(name);
      const bool isSame = here && there && here->target == there->target;
      if (tables->paths.last(name).kind == PathStep::Variable && !isSame && holdsOwn(name) &&
          other.holdsOwn(name))
        holders.push_back(name);
    }
  if (holders.empty())
    return joinNamed(other, junction, names);
  State renamed = other;
  for (PathId name : holders) {
    nameHeld(name);
    renamed.nameHeld(name);
  }
  joinNamed(renamed, junction, aliases.differences(renamed.aliases));
}

void State::joinNamed(const State &other, Junction junction, llvm::ArrayRef<PathId> names) {
  const PathTable &paths = tables->paths;
  PathId unknown = tables->paths.unknown();
  auto isTemporary = [&](PathId path) { return paths.isTemporary(path); };

  // A pointer that leads nowhere on one of the ways is not to be used behind them; nor is one that
  // leads to what ends behind them, if it leads nowhere that is known on the other.
  const auto lookOf = [](const State &state, const Alias *alias) {
    const Value *value = alias ? state.values.find(alias->target) : nullptr;
    return value ? value->look : Look();
  };
  const auto isKept = [&](const State &state, const Alias &alias, const State &elsewhere,
                          const Alias *there) {
    const Look look = lookOf(state, &alias);
    return look.ended || (look.taken && !lookOf(elsewhere, there).taken);
  };
  // Nor is one without a module: who uses it has the other one.
  const auto isNull = [](const State &state, PathId name) {
    const ModuleFacts *module = state.modules.find(name);
    return module && module->isNull;
  };
  for (PathId name : names) {
    const Alias *here = aliases.find(name), *there = other.aliases.find(name);
    if (here && (there || !isNull(other, name)) &&
        (there ? there->target != here->target : !isTemporary(name)) &&
        !isKept(*this, *here, other, there))
      setAlias(name, {there && isKept(other, *there, *this, here) ? there->target : unknown,
                      here->isReference});
  }
  for (PathId name : names)
    if (const Alias *there = other.aliases.find(name); there && !aliases.find(name))
      setAlias(name,
               isTemporary(name) || isNull(*this, name) || isKept(other, *there, *this, nullptr)
                   ? *there
                   : Alias{unknown, there->isReference});

  joinValues(other, junction);
  joinModules(other, junction);
  joinGradMode(other, junction);
  joinAutocast(other, junction);
  joinGraphs(other);
  heldOnOneWay = tables->sources.join(heldOnOneWay, other.heldOnOneWay);
  joinLists(other);
  lacksGpu &= other.lacksGpu;
  if (!other.work.launched)
    work.launched = nullptr;
  if (work.clock != other.work.clock)
    work.clock = nullptr;

  for (PathId loader : unfinished.differences(other.unfinished))
    if (const Event *const *begin = other.unfinished.find(loader);
        begin && !unfinished.find(loader))
      unfinished[loader] = *begin;
  parts.take(other.parts);
  registered.join(other.registered);
  for (PathId symbol : settled.differences(other.settled)) {
    const Device *here = settled.find(symbol), *there = other.settled.find(symbol);
    if (here && !(there && *there == *here))
      settled.erase(symbol);
  }

  for (PathId path : optimizers.differences(other.optimizers)) {
    const OptimizerFacts *there = other.optimizers.find(path);
    if (OptimizerFacts *here = optimizers.edit(path)) {
      if (there)
        here->owned = tables->sources.join(here->owned, there->owned);
      here->whole = there ? tables->sources.common(here->whole, there->whole) : noSources;
      here->needsClosure &= there && there->needsClosure;
      if (!there || !there->outdated || there->outdatedPart != here->outdatedPart)
        here->outdated = nullptr;
      here->gradients.join(there ? there->gradients : Gradients{}, junction);
    } else {
      OptimizerFacts joined = *there;
      joined.gradients.join(Gradients{}, junction);
      joined.needsClosure = false;
      joined.whole = noSources;
      joined.outdated = nullptr;
      optimizers[path] = joined;
    }
  }
}

Value State::joinedWith(const State &other, const Value &here, const Value &there) {
  Value value = eitherOf(here, there);
  if (isAboutGpu(other)) {
    const Value &onGpu = lacksGpu ? there : here;
    value.placement.device = onGpu.placement.device;
    value.placement.placed = onGpu.placement.placed;
    value.placement.hasDimensions = onGpu.placement.hasDimensions;
    value.placement.madeOnHost = onGpu.placement.madeOnHost;
  }
  return value;
}

bool State::isOfNone(PathId path) const {
  bool isOfElement = false;
  for (; path && !values.find(path); path = tables->paths.parent(path))
    isOfElement |= tables->paths.last(path).kind == PathStep::Element;
  return path && isOfElement && values.find(path)->layout.type == noType;
}

void State::joinValues(const State &other, Junction junction) {
  const PathTable &paths = tables->paths;
  Value notKnown;
  notKnown.autograd.sources = tables->sources.unknown();
  // A list without elements has none of another kind.
  const auto joinedWithNothing = [&](const State &there, PathId path, const Value &value) {
    Value both = eitherOf(value, notKnown);
    if (const ListFacts *list = there.lists.find(path); list && list->isEmpty) {
      both.autograd.cut = value.autograd.cut;
      both.autograd.derived = value.autograd.derived;
    }
    return both;
  };
  // What both have in common is joined already.
  const auto different = values.differences(other.values);
  for (PathId path : different) {
    Value *known = values.edit(path);
    if (!known)
      continue;
    Value &value = *known;
    // Where a loop is entered is where it goes wrong first.
    Device entered = value.placement.device;
    const Event *copying = value.placement.copying;
    const Look look = value.look;
    const Storage storage = value.storage;
    if (other.isOfNone(path))
      continue; // What elements are, all that there are tell.
    if (const Value *there = other.findValue(path))
      value = joinedWith(other, value, *there);
    else if (!paths.isTemporary(path))
      value = joinedWithNothing(other, path, value);
    const Value *there = other.findValue(path);
    // In the second round it has ended what it leads into, if the first ends that.
    if (there && value.look.taken && junction != Junction::Branches)
      value.look.ended = look.ended ? look.ended : there->look.ended;
    if (there && value.storage.wrapped && junction != Junction::Branches)
      value.storage.released = storage.released ? storage.released : there->storage.released;
    if (junction == Junction::LoopBack)
      value.placement.copying = copying;
    else if (junction == Junction::LoopEntry && there)
      value.placement.copying = there->placement.copying;
    if (junction == Junction::LoopBack && entered.kind != Device::Unset)
      value.placement.device = entered;
    else if (junction == Junction::LoopEntry && there &&
             there->placement.device.kind != Device::Unset)
      value.placement.device = there->placement.device;
  }
  for (PathId path : different)
    if (const Value *there = other.values.find(path); there && !values.find(path)) {
      Value both = *there;
      if (isOfNone(path)) {
        values[path] = both;
        continue;
      }
      if (const Value *here = findValue(path))
        both = joinedWith(other, *here, *there);
      else if (!paths.isTemporary(path))
        both = joinedWithNothing(*this, path, *there);
      values[path] = both;
    }
}

void State::launch(const Event &event, Device device) {
  if (device.kind != Device::Cuda && device.kind != Device::Symbol)
    return;
  work.launched = &event;
  work.device = device;
}

void State::beginBatches(PathId loader, const Event &begin) {
  endBatches(loader);
  if (const PathId object = resolve(loader);
      begin.details->earlyEnd.leave && object != tables->paths.unknown())
    unfinished[object] = &begin;
}

void State::endBatches(PathId loader) {
  const PathId object = resolve(loader);
  unfinished.erase(object);
}

} // namespace gradtidy
