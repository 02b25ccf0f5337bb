// Memory of tensors: which tensors share it, which graphs need its elements as they are, and
// whether anybody has given them a value.
#include "Storage.h"

#include "analyzer/flow/Arguments.h"
#include "analyzer/flow/Interpreter.h"
#include "analyzer/flow/Words.h"

namespace gradtidy {

Storage commonStorage(const Storage &a, const Storage &b, Tables &tables) {
  Storage result;
  const PathId unknown = tables.paths.unknown();
  result.memory = a.memory == b.memory ? a.memory : noPath;
  result.saved = tables.sources.common(a.saved, b.saved);
  if (a.overwritten && b.overwritten)
    result.overwritten = a.overwritten;
  if (a.unwritten == b.unwritten)
    result.unwritten = a.unwritten;
  if (result.unwritten)
    result.partly = a.partly ? a.partly : b.partly;
  if (a.wrapped == b.wrapped)
    result.wrapped = a.wrapped;
  if (a.released && b.released)
    result.released = a.released;
  if (a.inference && b.inference)
    result.inference = a.inference;
  result.anyStrides = a.anyStrides && b.anyStrides;
  const auto common = [&](PathId one, PathId other) {
    if (one == other)
      return one;
    return one == unknown || other == unknown ? unknown : noPath;
  };
  result.origin = common(a.origin, b.origin);
  result.object = common(a.object, b.object);
  result.tensor = a.tensor == b.tensor ? a.tensor : noPath;
  result.elements = a.elements == b.elements ? a.elements : noSources;
  return result;
}

Storage unitedStorage(const Storage &a, const Storage &b, Tables &tables) {
  Storage result = a;
  result.saved = tables.sources.join(a.saved, b.saved);
  if (!result.overwritten)
    result.overwritten = b.overwritten;
  return result;
}

void describe(Words &words, const Storage &storage) {
  words.add("in the memory", storage.memory);
  words.addPaths("saves", storage.saved);
  words.add("saved elements overwritten by", storage.overwritten);
  words.add("uninitialized since", storage.unwritten);
  words.add("partly written by", storage.partly);
  words.add("over memory of others since", storage.wrapped);
  words.add("memory released by", storage.released);
  words.add("made for inference under", storage.inference);
  words.addIf(storage.anyStrides, "any strides");
  words.add("memory held by", storage.origin);
  words.add("object", storage.object);
  words.add("the tensor", storage.tensor);
  if (storage.elements != noSources)
    words.addPaths("holds the tensors", storage.elements);
}

Lending joined(const Lending &a, const Lending &b, Tables &tables) {
  Lending result = a.taken ? a : b;
  result.borrowed = onEither(a.borrowed, b.borrowed);
  if (a.taken && b.taken) {
    result.shared = tables.sources.join(a.shared, b.shared);
    result.changed = b.changed ? a.changed : nullptr;
  }
  return result;
}

void describe(Words &words, const Lending &lending) {
  words.add("borrowed by", lending.borrowed);
  words.add("taken from parameters by", lending.taken);
  words.addPaths("shares", lending.shared);
  words.add("changed by", lending.changed);
}

Look joined(const Look &a, const Look &b) {
  if (a.taken == b.taken && a.into == b.into)
    return b.ended ? a : Look{a.taken, a.into};
  for (const Look &look : {a, b})
    if (look.ended) // On one way, it is lost.
      return look;
  return !b.taken ? a : !a.taken ? b : Look();
}

void describe(Words &words, const Look &look) {
  words.add("leads into", look.into);
  words.add("taken by", look.taken);
  words.add("which ended by", look.ended);
}

// --- state

void State::addStorage(PathId path, const Storage &before, const Storage &written) {
  if (Value *value = values.edit(path))
    value->storage = unitedStorage(before, written, *tables);
}

void State::allocate(PathId memory) {
  if (tables->allocations.insert(memory).second)
    return;
  const auto isOther = [&](PathId each) { return each != memory; };
  const PathId shape = tables->paths.element(memory, 0); // See nameHolders().
  const auto isOfThis = [&](PathId each) { return each == memory || each == shape; };
  const auto holdsOne = [&](const Storage &storage, PathId tensor) {
    return storage.elements != noSources &&
           llvm::is_contained(tables->sources.members(storage.elements), tensor);
  };
  values.changeIf(
      [&](const auto &entry) {
        const Storage &storage = entry.second.storage;
        return storage.memory == memory || storage.origin == memory || storage.object == shape ||
               storage.tensor == shape || holdsOne(storage, shape) ||
               (isOfThis(entry.second.look.into) && !entry.second.look.ended) ||
               (storage.saved != noSources &&
                llvm::is_contained(tables->sources.members(storage.saved), memory));
      },
      [&](PathId, Value &value) {
        if (value.storage.memory == memory)
          value.storage.memory = noPath;
        if (value.storage.origin == memory)
          value.storage.origin = tables->paths.unknown();
        if (value.storage.object == shape)
          value.storage.object = tables->paths.unknown();
        if (value.storage.tensor == shape)
          value.storage.tensor = noPath;
        if (holdsOne(value.storage, shape))
          value.storage.elements = noSources;
        if (isOfThis(value.look.into) && !value.look.ended)
          value.look = {};
        value.storage.saved = tables->sources.filter(value.storage.saved, isOther);
      });
}

void State::changeMemory(PathId memory, const Event &event) {
  if (!tables->savers.contains(memory))
    return;
  values.changeIf(
      [&](const auto &entry) {
        const Storage &storage = entry.second.storage;
        return storage.saved != noSources && !storage.overwritten &&
               llvm::is_contained(tables->sources.members(storage.saved), memory);
      },
      [&](PathId, Value &value) { value.storage.overwritten = &event; });
}

void State::writeMemory(PathId memory, const Event *partly) {
  values.changeIf(
      [&](const auto &entry) {
        return entry.second.storage.unwritten && entry.second.storage.memory == memory;
      },
      [&](PathId, Value &value) {
        value.storage.partly = partly;
        if (!partly)
          value.storage.unwritten = nullptr;
      });
}

void State::releaseMemory(PathId holder, const Event &event) {
  tables->hasReleased = true;
  values.changeIf(
      [&](const auto &entry) {
        const Event *wrapped = entry.second.storage.wrapped;
        return wrapped && wrapped->details->holder == holder;
      },
      [&](PathId, Value &value) { value.storage.released = &event; });
}

void State::writeAllMemory() {
  values.changeIf(
      [](const auto &entry) { return entry.second.storage.unwritten != nullptr; },
      [](PathId, Value &value) { value.storage.unwritten = value.storage.partly = nullptr; });
}

// --- operators

/// The tensor of which the event changes elements, or null.
static const Operand *changedBy(const Event &event) {
  return event.changesElements ? argumentOf(event, 0) : nullptr;
}

/// The overload that the event calls, or null if several are possible.
static const Overload *overloadOf(const Event &event) {
  const Overload *found = nullptr;
  for (const Overload &overload : event.run->overloads)
    if (fits(overload, event)) {
      if (found)
        return nullptr;
      found = &overload;
    }
  return found;
}

/// The argument in whose memory the result of the event lies for certain, or null.
static const Operand *viewedBy(const Event &event) {
  if (const Operand *changed = changedBy(event))
    return changed;
  if (event.run && event.run->changes(0)) // Its shape.
    return argumentOf(event, 0);
  if (event.run && event.run->out != Operator::Out::No)
    return nullptr;
  const std::optional<unsigned> index = event.run ? event.run->viewOf() : std::nullopt;
  if (index)
    return argumentOf(event, *index);
  const bool sharesFirst = sharesMemory(event.operation) || event.kind == EventKind::Detach;
  return sharesFirst ? argumentOf(event, 0) : nullptr;
}

/// Whether the result of the event may lie in memory that one of its operands has.
static bool mayShareMemory(const Event &event) {
  // What rearranges values by a formula of its own copies them; what is made of others may not.
  const bool copies = event.run && event.operation == Operation::Rearrange &&
                      event.run->gradient() == GradientRule::Formula;
  return !event.run || event.run->mayReturn || (keepsValues(event.operation) && !copies) ||
         llvm::any_of(event.run->overloads, [](const Overload &overload) {
           return overload.viewOf || !overload.givesTensor;
         });
}

/// Whether the event gives the elements of its subject another type, and so a copy of them.
static bool convertsElements(const Event &event, const State &state, const Value &result) {
  if (!event.typing || event.typing->rule != ResultRule::Cast ||
      event.subject.role != TypeRole::Tensor)
    return false;
  const ElementType from = state.typeOf(event.subject).element,
                    to = state.tables->types[result.layout.type].element;
  return from != to && from != ElementType::Unknown && to != ElementType::Unknown;
}

/// The memory of which a backward through what the event gives needs the elements, besides what is
/// needed already.
static SourcesId savedBy(const Event &event, const State &state, PathId result) {
  const Overload *overload = event.run ? overloadOf(event) : nullptr;
  SourcesId saved = noSources;
  if (!overload)
    return saved;
  SourcesTable &sources = state.tables->sources;
  const auto save = [&](PathId memory) {
    if (!memory)
      return;
    saved = sources.join(saved, sources.of(memory));
    state.tables->savers[memory] = &event;
  };
  const auto isDifferentiated = [&](unsigned index) {
    const Operand *argument = argumentOf(event, index);
    return argument && argument->isTensor &&
           state.valueOf(*argument).autograd.graph == Graph::Attached;
  };
  for (const Overload::Saved &rule : overload->saves) {
    if (!isDifferentiated(rule.of))
      continue;
    for (unsigned index : rule.arguments) // What it changes itself, it has copied.
      if (const Operand *argument = argumentOf(event, index);
          argument && !llvm::is_contained(overload->changes, index))
        save(state.valueOf(*argument).storage.memory);
    if (rule.result)
      save(result);
  }
  return saved;
}

/// Who holds what the event gives, which is another object than what it changes.
static void nameHolders(const Event &event, const State &state, const Operand *viewed,
                        Storage &storage) {
  Tables &tables = *state.tables;
  storage.origin = event.result;
  storage.object = tables.paths.element(event.result, 0);
  const bool isNew = storage.memory == event.result;
  storage.tensor = viewed || isNew ? storage.object : noPath; // Else it may be what is given.
  if (isNew && !viewed)
    return;
  const Operand *only = nullptr; // The tensor of which it is made, if it is one.
  unsigned count = 0;
  forArguments(event, [&](unsigned, const Operand &operand) {
    if (operand.role == TypeRole::Tensor) {
      only = &operand;
      ++count;
    }
  });
  if (event.kind == EventKind::Forward) { // A module may give what it keeps.
    tables.mayBeShared.insert(storage.origin);
    tables.mayBeShared.insert(storage.object);
  } else if (count != 1) {
    storage.origin = tables.paths.unknown();
    tables.mayBeShared.insert(storage.object);
  } else if (event.kind == EventKind::Move ||
             (event.site->symbol && event.site->symbol->trait == Trait::Packs)) {
    // The tensor itself, or a copy.
    for (const bool isOfMemory : {true, false}) {
      const PathId known = state.holderOf(*only, isOfMemory);
      if (known && known != tables.paths.unknown())
        (isOfMemory ? storage.origin : storage.object) = known;
    }
    tables.mayBeShared.insert(event.result);
    tables.mayBeShared.insert(tables.paths.element(event.result, 0));
  } else {
    const PathId known = state.holderOf(*only, /*isOfMemory=*/true);
    storage.origin = known ? known : tables.paths.unknown();
    if (!viewed) { // It may be the tensor itself.
      tables.mayBeShared.insert(storage.object);
      tables.mayBeShared.insert(state.holderOf(*only, /*isOfMemory=*/false));
    }
  }
}

/// The guard under which tensors are made that no graph can keep, or null.
static const Event *inferenceGuard(const State &state) {
  const GradMode &mode = state.gradMode();
  const bool isOn = mode.possible == GradMode::Off && mode.set &&
                    mode.set->subject.role == TypeRole::InferenceGuard;
  return isOn ? mode.set.event() : nullptr;
}

SourcesId elementsOf(llvm::ArrayRef<Operand> operands, const State &state) {
  SourcesTable &sources = state.tables->sources;
  SourcesId all = noSources;
  for (const Operand &operand : operands) {
    const Storage storage = operand.isTensor ? state.valueOf(operand).storage : Storage();
    const SourcesId added = operand.role == TypeRole::Tensor && storage.tensor
                                ? sources.of(storage.tensor)
                            : operand.role == TypeRole::None ? storage.elements
                                                             : noSources;
    all = sources.join(all, added);
    if (added == noSources || sources.isUnknown(all))
      return noSources;
  }
  return all;
}

Storage Interpreter::storageOf(const Event &event, const State &state, const Value &result) const {
  Storage storage;
  const Operand *viewed = viewedBy(event);
  const bool mayShare = mayShareMemory(event) && !convertsElements(event, state, result);
  const bool isNew = event.kind == EventKind::Forward ? !event.isWeightless : !mayShare;
  if (viewed)
    storage = state.valueOf(*viewed).storage;
  else if (event.resultRole == TypeRole::Tensor && isNew)
    storage.inference = inferenceGuard(state);
  else if (event.resultRole == TypeRole::Tensor && event.subject.role == TypeRole::Tensor &&
           inferenceGuard(state)) // It gives that, or makes another one here.
    storage.inference = state.valueOf(event.subject).storage.inference;
  if (!viewed && event.resultRole == TypeRole::Tensor && !mayShare)
    storage.memory = event.result;
  const bool isItself = viewed && event.run && event.run->changes(0);
  if (event.resultRole == TypeRole::Tensor &&
      (!viewed || (viewed != changedBy(event) && !isItself)))
    nameHolders(event, state, viewed, storage);
  storage.saved = noSources;
  storage.overwritten = nullptr;
  const bool isCopyOfList = event.kind == EventKind::Construct && event.operands.size() == 1 &&
                            event.operands.front().role == TypeRole::None;
  if (event.site->kind == ir::NodeKind::List || isCopyOfList)
    storage.elements = elementsOf(event.operands, state);
  if (result.autograd.graph != Graph::Attached)
    return storage;
  forArguments(event, [&](unsigned, const Operand &operand) {
    if (operand.isTensor)
      storage = unitedStorage(storage, state.valueOf(operand).storage, tables);
  });
  if (event.resultRole == TypeRole::Tensor)
    storage.saved = tables.sources.join(storage.saved, savedBy(event, state, storage.memory));
  return storage;
}

// --- elements without a value

/// What an event does with the elements of a tensor.
enum class ElementUse : unsigned char {
  None,   ///< Nothing: it asks for the shape, gives the tensor a name or a view.
  Read,   ///< Computes something of them.
  Write,  ///< Gives them values.
  Unknown ///< Anything.
};

/// Whether the event gives a local variable its value.
static bool bindsVariable(const Event &event, const PathTable &paths) {
  const PathId place = event.subject.path;
  return event.subject.role == TypeRole::Tensor && paths.rootOf(place) == place &&
         paths.last(place).kind == PathStep::Variable;
}

/// Whether the operator changes only elements that an argument chooses.
static bool choosesElements(const Operator &run) {
  return llvm::any_of(run.overloads, [](const Overload &overload) {
    return llvm::any_of(overload.arguments, [](const Overload::Argument &argument) {
      return argument.name == "index" || argument.name == "indices" || argument.name == "mask";
    });
  });
}

static ElementUse useOf(const Event &event, unsigned index, const Operand &operand,
                        const PathTable &paths) {
  switch (event.kind) {
  case EventKind::EndLifetime:
  case EventKind::Access:
  case EventKind::Assign:
  case EventKind::Release:
  case EventKind::Return:
  case EventKind::RequireGrad:
  case EventKind::Call: // Followed, or see callUnknown().
    return ElementUse::None;
  case EventKind::Create:
    return event.subject.path == operand.path ? ElementUse::None : ElementUse::Unknown;
  case EventKind::Bind:
    return bindsVariable(event, paths) ? ElementUse::None : ElementUse::Unknown;
  case EventKind::Detach:
    return viewedBy(event) ? ElementUse::None : ElementUse::Unknown;
  default:
    break;
  }
  if (event.isAttribute)
    return ElementUse::None;
  if (&operand == changedBy(event)) {
    const bool isWhole = event.run && event.run->changesElements() && !choosesElements(*event.run);
    return isWhole && event.run->dependsOnFirst() ? ElementUse::Read : ElementUse::Write;
  }
  if (&operand == viewedBy(event) || event.operation == Operation::Index)
    return index == 0 ? ElementUse::None : ElementUse::Read;
  if (event.run && event.run->out != Operator::Out::No)
    return operand.escapes ? ElementUse::Write : ElementUse::Unknown;
  if (event.kind == EventKind::Forward)
    return event.callee ? ElementUse::Unknown : ElementUse::Read;
  return event.run && !mayShareMemory(event) && !event.run->changes(index) ? ElementUse::Read
                                                                           : ElementUse::Unknown;
}

const Operand *unwrittenReadBy(const Event &event, const State &state) {
  const Operand *read = nullptr;
  forArguments(event, [&](unsigned index, const Operand &operand) {
    if (!read && operand.isTensor &&
        useOf(event, index, operand, state.tables->paths) == ElementUse::Read &&
        state.valueOf(operand).storage.unwritten)
      read = &operand;
  });
  return read;
}

const Operand *releasedReadBy(const Event &event, const State &state) {
  const Operand *read = nullptr;
  if (state.tables->hasReleased && event.kind != EventKind::Bind)
    forArguments(event, [&](unsigned index, const Operand &operand) {
      if (!read && operand.isTensor && state.valueOf(operand).storage.released &&
          useOf(event, index, operand, state.tables->paths) != ElementUse::None)
        read = &operand;
    });
  return read;
}

void Interpreter::followElements(const Event &event, State &state) const {
  forArguments(event, [&](unsigned index, const Operand &operand) {
    if (operand.isClosure && event.kind != EventKind::Bind)
      state.writeAllMemory(); // Whoever calls it, and when.
    const Storage storage = operand.isTensor ? state.valueOf(operand).storage : Storage();
    if (!storage.unwritten)
      return;
    switch (useOf(event, index, operand, tables.paths)) {
    case ElementUse::None:
      return;
    case ElementUse::Write:
      return state.writeMemory(storage.memory, event.coverage == Coverage::Some ? &event : nullptr);
    case ElementUse::Read: // Said once.
    case ElementUse::Unknown:
      return state.writeMemory(storage.memory);
    }
  });
}

void Interpreter::doubtElements(const Event &event, State &state) const {
  if (!tables.hasUnwritten)
    return;
  forArguments(event, [&](unsigned, const Operand &operand) {
    if (operand.isClosure)
      state.writeAllMemory();
    if (const PathId memory = operand.isTensor ? state.valueOf(operand).storage.memory : noPath)
      state.writeMemory(memory);
  });
}

void Interpreter::followMemory(const Event &event, State &state) {
  if (event.result && event.isTensor && !isFirstRun)
    state.allocate(event.result);
  if (tables.hasUnwritten)
    followElements(event, state);
  if (const Operand *changed = changedBy(event))
    if (const PathId memory = state.valueOf(*changed).storage.memory)
      state.changeMemory(memory, event);
}

void Interpreter::saveWeights(const Event &forward, const State &state, Value &result) const {
  const PathId module = state.resolve(forward.subject.path);
  const bool isPartOfGraph = llvm::any_of(forward.operands, [&](const Operand &operand) {
    return operand.isTensor && state.valueOf(operand).autograd.graph == Graph::Attached;
  });
  if (forward.isWeightless || !isPartOfGraph || module == tables.paths.unknown())
    return;
  result.storage.saved = tables.sources.join(result.storage.saved, tables.sources.of(module));
  tables.savers[module] = &forward;
}

void Interpreter::changeWeights(const Event &step, PathId optimizer, State &state) const {
  for (PathId module : tables.sources.members(state.optimizerAt(optimizer).owned))
    state.changeMemory(module, step);
}

const Operand *inferenceTensorSavedBy(const Event &forward, const State &state) {
  if (forward.kind != EventKind::Forward || forward.isWeightless || forward.isGuarded ||
      state.gradMode().possible != GradMode::On || state.module(forward.subject).isFrozen)
    return nullptr;
  const auto tensor = llvm::find_if(forward.operands, [&](const Operand &operand) {
    return operand.isTensor && state.valueOf(operand).storage.inference;
  });
  return tensor == forward.operands.end() ? nullptr : tensor;
}

} // namespace gradtidy
