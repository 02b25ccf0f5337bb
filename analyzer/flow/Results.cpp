// The values that events make of others.
#include "Interpreter.h"

#include "analyzer/events/Typing.h"
#include "analyzer/model/Operators.h"

namespace gradtidy {

/// The tensor that the event views or rearranges.
static Value rearranged(const Event &event, const State &state) {
  const bool isOfSubject = event.subject.path && event.kind != EventKind::Forward;
  if (!isOfSubject && event.operands.empty())
    return {};
  return state.valueOf(isOfSubject ? event.subject : event.operands.front());
}

/// Value::permuted of what the event gives. Two permutations may undo each other.
static const Event *permutedBy(const Event &event, const State &state) {
  if (event.operation == Operation::Permute)
    return rearranged(event, state).permuted ? nullptr : &event;
  if (!event.keepsStrides)
    return nullptr;
  const Event *permuted = event.subject.isTensor ? state.valueOf(event.subject).permuted : nullptr;
  unsigned tensors = event.subject.isTensor;
  for (const Operand &operand : event.operands)
    if (operand.isTensor) {
      permuted = state.valueOf(operand).permuted;
      ++tensors;
    }
  return tensors == 1 ? permuted : nullptr;
}

bool leavesGraphs(const Event &event) {
  const ir::Symbol *callee = event.site->isCall() ? event.site->symbol : nullptr;
  return event.kind == EventKind::Combine && event.resultRole == TypeRole::Tensor && callee &&
         !callee->isStandard;
}

/// Whether the result lies in no memory that parameters have: it reaches none unless it is
/// recorded.
static bool givesNew(const Event &event) {
  return event.kind == EventKind::Forward ||
         (leavesGraphs(event) && !keepsValues(event.operation) && !event.subject.escapes);
}

/// Whether the event gives the tensor that it has added to a list: `list.emplace_back(tensor)`.
static bool addsToList(const Event &event) {
  const ir::Node &call = *event.site;
  return call.kind == ir::NodeKind::MemberCall && event.subject.path &&
         event.subject.role == TypeRole::None && event.subject.escapes && call.symbol &&
         call.symbol->isStandard && call.symbol->name.starts_with("emplace");
}

/// Value::copied of a copy of the tensor.
static SourcesId copiedOf(const Operand &tensor, const State &state) {
  return tensor.isTensor ? state.tables->sources.join(state.valueOf(tensor).copied,
                                                      state.memoryOf(tensor))
                         : noSources;
}

Value Interpreter::combined(const Event &event, const State &state) const {
  Value result;
  bool attached = false, unrecorded = false, unknown = false, onlyHost = true, onlyFresh = true;
  bool isMadeUp = false, hasData = false;
  const Event *fresh = nullptr;
  Value held; // In whose memory parts of it lie.
  const Event *derived = nullptr;
  bool isOfLeaf = false;
  unsigned other = Graph::Detached; // Where nothing is attached or unknown.
  auto add = [&](const Operand &operand) {
    if (!operand.path)
      return;
    if (!operand.isTensor && !isModule(operand.role)) {
      if (event.run || operand.isText) // Numbers, options; names.
        return;
      result.sources = tables.sources.join(result.sources, state.sourcesOf(operand));
      return;
    }
    Value value = state.valueOf(operand);
    if (operand.isMovedThere)
      value.device = {};
    if (operand.role == TypeRole::ScriptModule && event.kind == EventKind::Combine)
      value.graph = Graph::Unknown; // An attribute may be a parameter, or anything else.
    result.sources = tables.sources.join(result.sources, value.sources);
    result.history = tables.histories.join(result.history, value.history);
    result.graphs = tables.histories.join(result.graphs, value.graphs);
    attached |= (value.graph & Graph::Attached) != 0;
    unrecorded |= value.graph == Graph::Unrecorded;
    other |= value.graph & Graph::Unrecorded;
    if (value.disabled)
      result.disabled = value.disabled;
    unknown |= (value.graph & Graph::Unknown) != 0;
    if (value.borrowed)
      held.borrowed = value.borrowed;
    result.parts = unitedParts(result.parts, value.parts, tables);
    if (value.taken) {
      held.shareMemory(value);
      held.shared = tables.sources.join(held.shared, value.shared);
    }
    if (value.derived)
      derived = value.derived;
    isOfLeaf |= value.graph == Graph::Attached && (isLeaf(value) || value.derived);
    if (value.madeOnHost && !event.isAnyDevice)
      result.madeOnHost = value.madeOnHost;
    if (value.freshOnHost)
      fresh = value.freshOnHost;
    onlyFresh &= value.freshOnHost || !operand.isTensor;
    (value.isMadeUp ? isMadeUp : hasData) |= operand.isTensor;
    held.copied = tables.sources.join(held.copied, value.copied);
    result.hasDimensions |= value.hasDimensions;
    onlyHost &= value.device.kind == Device::Cpu;
    // What meets in an operation is on one device; scalars of the host go along with any.
    bool decides = value.device.isKnown() &&
                   (value.hasDimensions || value.device.kind != Device::Cpu || onlyHost);
    if (decides && (!result.device.isKnown() || !event.isAnyDevice)) {
      result.device = value.device;
      result.placed = value.placed;
    } else if (result.device.kind == Device::Cpu && !result.hasDimensions && !onlyHost) {
      result.device = {};
    }
  };
  if (event.subject.path && !(event.kind == EventKind::Forward && event.isStateless))
    add(event.subject);
  for (const Operand &operand : event.operands)
    add(operand);

  if (unrecorded)
    other = Graph::Unrecorded;
  const bool leavesGraph = attached || (other & Graph::Unrecorded);
  const unsigned mode =
      event.isGuarded ? unsigned(GradMode::Off) : unsigned(state.gradMode().possible);
  const unsigned rest = unknown ? unsigned(Graph::Unknown) : other;
  result.graph = 0;
  if (mode & GradMode::On)
    result.graph |= attached ? unsigned(Graph::Attached) : rest;
  if (mode & GradMode::Off && leavesGraph)
    result.disabled = state.gradMode().set;
  if (mode & GradMode::Off)
    result.graph |= attached || unrecorded ? unsigned(Graph::Unrecorded) : rest;
  if (mode & GradMode::Depends && leavesGraph)
    result.graph |= Graph::Unknown;
  if (mode == GradMode::Off && leavesGraphs(event))
    result.graphs = noSources;
  if (mode == GradMode::Off && givesNew(event))
    result.sources = noSources;
  if (!event.isDifferentiable) {
    result.graph = Graph::Detached;
    result.graphs = noSources;
  }
  if (!event.isDifferentiable || mode != GradMode::On)
    result.parts = {};
  if (onlyFresh && event.kind != EventKind::Forward)
    result.freshOnHost = fresh;
  result.isMadeUp = isMadeUp && !hasData && event.kind != EventKind::Forward;
  result.hasDimensions &= event.keepsDimensions;
  const Operand *base = event.subject.path       ? &event.subject
                        : event.operands.empty() ? nullptr
                                                 : &event.operands.front();
  if (event.isAnyDevice && base && base->role == TypeRole::Tensor) { // Wherever its indices are.
    Value value = state.valueOf(*base);
    result.device = value.device;
    result.placed = value.placed;
    result.madeOnHost = value.madeOnHost;
  }
  if (event.subject.path &&
      (keepsValues(event.operation) || (event.run && event.run->name == "clone")))
    result.copied = copiedOf(event.subject, state);
  if (keepsValues(event.operation)) {
    const Value before = rearranged(event, state);
    result.made = before.made;
    if (sharesMemory(event.operation))
      result.shareMemory(before);
    if (event.operation != Operation::SelectElements) {
      result.copying = before.copying;
      result.copiedFrom = before.copiedFrom;
    }
  } else if (event.operation != Operation::None || event.kind == EventKind::Forward ||
             (event.typing && event.typing->rule == ResultRule::OneHot) ||
             (event.run && event.run->name == "exp")) {
    result.made = &event;
  } else if (event.resultRole != TypeRole::Tensor || addsToList(event)) { // A list, a struct.
    result.shareMemory(held);
    result.copied = held.copied;
    result.derived = derived;
  }
  const bool computes = event.keepsStrides || sharesMemory(event.operation);
  if (event.kind == EventKind::Combine && computes && !event.subject.escapes && isOfLeaf &&
      result.graph == Graph::Attached && event.resultRole == TypeRole::Tensor)
    result.derived = &event;
  result.isRecorded = event.resultRole == TypeRole::Tensor && (result.graph & Graph::Attached);
  result.permuted = permutedBy(event, state);
  result.type = typeOf(event, state);
  result.hasDimensions |= !tables.types[result.type].shape.sizes.empty();
  result.order = orderOf(event, state);
  result.padded = paddedBy(event, state);
  if (event.site->kind == ir::NodeKind::Conditional && event.operands.size() == 2) {
    const Value either =
        state.joined(state.valueOf(event.operands[0]), state.valueOf(event.operands[1]));
    result.stayOn(either);
    result.made = either.made;
    result.shareMemory(either);
    result.copied = either.copied;
    result.derived = either.derived;
    result.isRecorded = either.isRecorded;
    result.parts = either.parts;
    result.storage = either.storage;
    result.cut = either.cut;
    result.idleTerm = either.idleTerm;
  } else {
    result.storage = storageOf(event, state, result);
    cutGradients(event, state, result);
  }
  const bool isClash = !state.clashes(event).empty();
  if (isClash)
    result.device = {}; // Said once; nothing follows from it.
  if (isClash || result.device.isKnown())
    result.madeOnHost = nullptr;
  return result;
}

Value Interpreter::created(const Event &event, const State &state) const {
  Value result;
  result.graph = Graph::Detached;
  result.hasDimensions = event.keepsDimensions;
  result.isNoise = event.isNoise;
  result.isMadeUp = !event.isData && event.operation != Operation::WrapMemory;
  result.device = {Device::Cpu};
  result.placed = result.made = &event;
  result.type = typeOf(event, state);
  if (event.order.samples == 0)
    result.order.told = &event;
  if (event.memory) {
    result.borrowed = &event;
    tables.lenders.insert(tables.paths.rootOf(event.memory));
  } else if (!event.isData)
    result.freshOnHost = &event;
  if (event.subject.path) { // Like another tensor.
    Value model = state.valueOf(event.subject);
    result.device = model.device;
    result.placed = model.placed;
    result.hasDimensions = model.hasDimensions;
  }
  for (const Operand &operand : event.operands) {
    if (operand.role != TypeRole::Device)
      continue;
    if (Device device = state.deviceOf(operand); device.kind != Device::Unset)
      result.device = device;
    if (state.askForGradients(operand))
      result.graph = Graph::Attached;
  }
  if (result.device.kind != Device::Cpu)
    result.freshOnHost = nullptr;
  result.cut = readForNew(event);
  result.storage.memory = event.result;
  result.storage.object = tables.paths.element(event.result, 0);
  if (event.operation != Operation::WrapMemory)
    result.storage.origin = event.result;
  if (event.holder)
    result.storage.wrapped = &event;
  if (event.operation == Operation::Allocate &&
      !llvm::is_contained(tables.types[result.type].shape.sizes, 0)) {
    result.storage.unwritten = &event;
    tables.hasUnwritten = true;
  }
  return result;
}

Device Interpreter::deviceNamed(const Event &event, const State &state) const {
  Device result{Device::Unset};
  if (event.subject.path)
    result = state.deviceOf(event.subject);
  bool isChoice = event.site->kind == ir::NodeKind::Conditional;
  for (const Operand &operand : event.operands) {
    if (operand.role != TypeRole::Device)
      continue;
    Device device = state.deviceOf(operand);
    if (isChoice && result.kind != Device::Unset && !(device == result))
      return {Device::Symbol, event.result};
    if (device.kind != Device::Unset)
      result = device;
  }
  return result;
}

/// Whether a tensor on the CPU stays in its memory if \p move brings it to the CPU: all that the
/// call is told is a device.
static bool onlyMoves(const Event &move) {
  if (!move.site->isCall())
    return false;
  unsigned given = 0, flags = 0;
  for (const ir::Node *argument : move.site->arguments)
    if (argument->kind != ir::NodeKind::DefaultArgument)
      ++(argument->type && argument->type->isBoolean ? flags : given);
  return given <= 1 && flags <= 1; // The second says that a copy is made anyway.
}

Value Interpreter::moved(const Event &event, const State &state) const {
  Value result = combined(event, state);
  Value before = state.valueOf(event.subject);
  result.sources = before.sources;
  result.history = before.history;
  result.graphs = before.graphs;
  result.parts = before.parts;
  result.isNoise = before.isNoise;
  result.isMadeUp = before.isMadeUp;
  result.copied = copiedOf(event.subject, state);
  result.made = before.made;
  result.freshOnHost = before.freshOnHost;
  result.stayOn(before); // In memory of its own it keeps the order.
  result.type = event.typing ? typeOf(event, state) : unknownType;
  cutGradients(event, state, result);
  for (const Operand &operand : event.operands) {
    bool tells = operand.role == TypeRole::Device || operand.role == TypeRole::Tensor ||
                 operand.device.isKnown();
    if (Device device = state.deviceOf(operand); tells && device.kind != Device::Unset) {
      result.device = device;
      result.placed = &event;
      result.madeOnHost = result.freshOnHost = nullptr;
      const bool isOfLeaf = before.graph == Graph::Attached && isLeaf(before);
      if (isOfLeaf && state.gradMode().possible == GradMode::On && !(device == before.device))
        result.derived = &event;
      break;
    }
  }
  const ElementType from = tables.types[before.type].element;
  const ElementType to = tables.types[result.type].element;
  const bool mayCast =
      event.typing && (from != to || (event.typing->namesElement && to == ElementType::Unknown));
  if (before.borrowed && onlyMoves(event) && !mayCast &&
      (result.device.kind == Device::Cpu || result.device.kind == Device::Symbol))
    result.borrowed = before.borrowed;
  result.copying = nullptr;
  if (event.isAsync && result.device.kind == Device::Cpu && before.device.kind != Device::Cpu) {
    result.copying = &event;
    result.copiedFrom = before.device;
  }
  if (before.derived)
    result.derived = before.derived;
  return result;
}

} // namespace gradtidy
