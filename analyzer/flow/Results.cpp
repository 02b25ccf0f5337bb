// The values that events make of others.
#include "Interpreter.h"

#include "analyzer/ir/Typing.h"
#include "analyzer/model/Operators.h"

namespace gradtidy {

/// The tensor that the event views or rearranges.
static Value rearranged(const Event &event, const State &state) {
  const bool isOfSubject = event.subject.path && event.kind != EventKind::Forward;
  if (!isOfSubject && event.operands.empty())
    return {};
  return state.valueOf(isOfSubject ? event.subject : event.operands.front());
}

/// Whether \p event moves nothing but dimensions of size 1: the elements stay in order.
static bool keepsOrder(const Event &event, const Shape &shape) {
  const Typing *typing = event.typing;
  const auto rank = static_cast<std::int64_t>(shape.sizes.size());
  llvm::SmallVector<std::int64_t, 4> order;
  if (!typing || shape.isOpen)
    return false;
  if (typing->rule == ResultRule::Permute && typing->shape && !typing->shape->isOpen)
    order.assign(typing->shape->sizes.begin(), typing->shape->sizes.end());
  if (static_cast<std::int64_t>(order.size()) != rank)
    return false;
  std::int64_t last = -1;
  for (std::int64_t axis : order) {
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank)
      return false;
    if (shape.sizes[axis] != 1 && std::exchange(last, axis) > axis)
      return false;
  }
  return true;
}

/// The order in which the event has the dimensions of what it permutes, as far as it is written:
/// those that it exchanges, or all of them.
static llvm::ArrayRef<std::int64_t> orderOf(const Event &event, ResultRule rule) {
  const Typing *typing = event.typing;
  if (!typing || typing->rule != rule)
    return {};
  const bool isList = rule == ResultRule::Permute;
  if (isList && (!typing->shape || typing->shape->isOpen))
    return {};
  const llvm::ArrayRef<std::int64_t> order =
      isList ? llvm::ArrayRef(typing->shape->sizes) : llvm::ArrayRef(typing->numbers);
  const auto isKnown = [](std::int64_t axis) { return axis >= 0; };
  return llvm::all_of(order, isKnown) ? order : llvm::ArrayRef<std::int64_t>();
}

/// Whether the one permutation certainly does not undo the other that was before.
static bool differs(const Event &event, const Event &before) {
  const auto swapped = orderOf(event, ResultRule::Transpose);
  const auto swappedBefore = orderOf(before, ResultRule::Transpose);
  if (swapped.size() == 2 && swappedBefore.size() == 2)
    return std::minmax(swapped[0], swapped[1]) != std::minmax(swappedBefore[0], swappedBefore[1]);
  const auto order = orderOf(event, ResultRule::Permute);
  const auto orderBefore = orderOf(before, ResultRule::Permute);
  const auto size = static_cast<std::int64_t>(order.size());
  if (order.empty() || orderBefore.size() != order.size())
    return false;
  for (std::int64_t i = 0; i < size; ++i)
    if (order[i] < size && orderBefore[order[i]] != i)
      return true;
  return false;
}

/// What the event does with the dimensions of the tensor of which it picks a part.
static llvm::SmallVector<Pick, 4> picksOf(const Typing &typing) {
  if (typing.rule == ResultRule::Pick)
    return typing.picks;
  llvm::SmallVector<Pick, 4> picks;
  if (typing.rule == ResultRule::Select && typing.numbers.size() > 1 && typing.numbers[0] >= 0)
    picks.assign(typing.numbers[0], Pick::All);
  if (typing.rule == ResultRule::Select)
    picks.push_back(Pick::One); // `x[i]` takes from the first.
  return picks;
}

/// Whether elements that the event leaves out of \p whole certainly lie between those that it
/// picks: a column of a matrix.
static bool leavesGaps(const Event &event, const Value &whole, const Shape &shape) {
  if (!event.typing || shape.isOpen || whole.layout.permuted || whole.storage.anyStrides)
    return false;
  const auto isSeveral = [](std::int64_t size) { return size > 1 || size == Shape::many; };
  bool isBehindSeveral = false;
  size_t axis = 0;
  for (Pick pick : picksOf(*event.typing)) {
    if (pick == Pick::Rest || pick == Pick::Other || axis >= shape.sizes.size())
      return false;
    if (pick == Pick::New)
      continue;
    const std::int64_t size = shape.sizes[axis++];
    if (pick == Pick::One && isBehindSeveral && isSeveral(size))
      return true;
    isBehindSeveral |= pick == Pick::All && isSeveral(size);
  }
  return false;
}

/// The tensor as which the result lies in memory, or null.
static const Operand *laidOutLike(const Event &event) {
  const Operand *like = event.keepsStrides && event.subject.isTensor ? &event.subject : nullptr;
  if (event.keepsStrides)
    for (const Operand &operand : event.operands)
      if (operand.isTensor) {
        if (like)
          return nullptr;
        like = &operand;
      }
  return like;
}

/// Layout::permuted of what the event gives. Two permutations may undo each other, and a further
/// one both.
const Event *Interpreter::permutedBy(const Event &event, const State &state) const {
  if (event.operation == Operation::Permute) {
    const Operand *from = event.subject.path       ? &event.subject
                          : event.operands.empty() ? nullptr
                                                   : &event.operands.front();
    if (!from)
      return &event;
    const Event *before = state.valueOf(*from).layout.permuted;
    if (keepsOrder(event, state.typeOf(*from).shape))
      return before;
    if (!before)
      return &event;
    if (permutedTwice.contains(before) || !differs(event, *before))
      return nullptr;
    permutedTwice.insert(&event);
    return &event;
  }
  if (event.operation == Operation::View &&
      leavesGaps(event, state.valueOf(event.subject), state.typeOf(event.subject).shape))
    return &event;
  const Operand *like = laidOutLike(event);
  const Event *before = like ? state.valueOf(*like).layout.permuted : nullptr;
  return before && before->operation == Operation::Permute ? before : nullptr; // No gaps.
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
  return tensor.isTensor ? state.tables->sources.join(state.valueOf(tensor).origin.copied,
                                                      state.memoryOf(tensor))
                         : noSources;
}

/// Whether the event may give one element for all that it is given.
static bool mayReduce(const Event &event) {
  const ResultRule rule = event.typing ? event.typing->rule : ResultRule::None;
  return rule == ResultRule::Sum || rule == ResultRule::Reduce || rule == ResultRule::RealReduce ||
         rule == ResultRule::Test || rule == ResultRule::IndexReduce;
}

/// Whether the result may lack the dimensions of what the event is given, as far as one can tell.
static bool mayLoseDimensions(const Event &event) {
  if (mayReduce(event))
    return true;
  if (!event.run || keepsValues(event.operation) || event.kind == EventKind::Forward)
    return false;
  switch (event.typing ? event.typing->rule : ResultRule::None) {
  case ResultRule::None:
  case ResultRule::Elements:
  case ResultRule::Gathered:
  case ResultRule::Gather:
  case ResultRule::Alike:
  case ResultRule::Unbind:
  case ResultRule::Project:
    return true;
  default:
    return false;
  }
}

/// Whether nobody says what elements the operator gives: if they are no real numbers, there is no
/// graph.
static bool mayGiveIntegers(const Event &event) {
  const GradientRule gradient = event.run ? event.run->gradient() : GradientRule::Formula;
  const bool isOpen =
      !event.typing && (gradient == GradientRule::Composite || gradient == GradientRule::Unknown);
  const bool isCast = event.typing && event.typing->namesElement &&
                      event.typing->element == ElementType::Unknown &&
                      (event.typing->rule == ResultRule::Cast || event.kind == EventKind::Move);
  // Of several results some are indices.
  const bool isTuple = event.run && !event.typing && event.resultRole != TypeRole::Tensor;
  return isCast || isTuple ||
         (isOpen && event.resultRole == TypeRole::Tensor && !keepsValues(event.operation));
}

/// Whether a tensor of that shape certainly has dimensions; \p otherwise where the shape does not
/// tell.
static bool hasDimensions(const Shape &shape, bool otherwise) {
  return !shape.sizes.empty() || (shape.isOpen && otherwise);
}

/// Whether the event puts tensors side by side, as they are, or makes one of each in a list.
static bool isAggregate(const Event &event) {
  if (event.run)
    return event.resultRole == TypeRole::None && !event.subject.path && !event.operands.empty() &&
           event.operands.front().isTensor && event.operands.front().role == TypeRole::None &&
           llvm::none_of(llvm::drop_begin(event.operands),
                         [](const Operand &operand) { return operand.isTensor; });
  const ir::Symbol *callee = event.site->isCall() ? event.site->symbol : nullptr;
  if (event.kind == EventKind::Combine && callee && callee->isStandard)
    return true; // `maybe.value_or(x)` gives one of them.
  return event.resultRole != TypeRole::Tensor &&
         (event.site->kind == ir::NodeKind::List || event.kind == EventKind::Construct);
}

/// Whether the event computes what it gives, in memory of its own: a module does of tensors.
static bool isComputed(const Event &event) {
  const ir::Symbol *callee = event.site->symbol;
  return (callee && callee->trait == Trait::MakesNew) ||
         (isModule(event.subject.role) &&
          llvm::any_of(event.operands, [](const Operand &operand) { return operand.isTensor; }));
}

Value Interpreter::combined(const Event &event, const State &state) const {
  Value result;
  bool attached = false, unrecorded = false, unknown = false, onlyHost = true, onlyFresh = true;
  bool isMadeUp = false, hasData = false;
  // Each part of a list or a structure has what it had.
  const bool isOfParts = isAggregate(event);
  unsigned parts = 0;
  bool isCertain = false, mayBeUnrecorded = false, isOther = false;
  bool haveDimensions = true;
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
      result.autograd.sources =
          tables.sources.join(result.autograd.sources, state.sourcesOf(operand));
      return;
    }
    Value value = state.valueOf(operand);
    if (event.kind == EventKind::Forward && event.isWeightless && isModule(operand.role))
      value.autograd.graph = Graph::Detached;
    if (operand.isMovedThere || operand.isForHost)
      value.placement.device = {};
    if (value.storage.inference && value.autograd.mayHaveGraph()) // No operation is recorded.
      value.autograd.graph =
          isOfParts || keepsValues(event.operation) ? Graph::Unknown : Graph::Detached;
    if (operand.role == TypeRole::ScriptModule && event.kind == EventKind::Combine)
      value.autograd.graph = Graph::Unknown; // An attribute may be a parameter, or anything else.
    result.autograd.sources = tables.sources.join(result.autograd.sources, value.autograd.sources);
    result.autograd.history =
        tables.histories.join(result.autograd.history, value.autograd.history);
    result.autograd.graphs = tables.histories.join(result.autograd.graphs, value.autograd.graphs);
    attached |= (value.autograd.graph & Graph::Attached) != 0;
    // Of a list, that of one of its elements.
    isCertain |= value.autograd.graph == Graph::Attached ||
                 (operand.role != TypeRole::Tensor && value.autograd.graph & Graph::Attached);
    // Beside one that may have a graph, what has none for certain says nothing.
    mayBeUnrecorded |=
        (value.autograd.graph & Graph::Attached) && (value.autograd.graph & Graph::Unrecorded);
    isOther |= (value.autograd.graph & (Graph::Detached | Graph::Unrecorded)) == 0;
    unrecorded |= value.autograd.graph == Graph::Unrecorded;
    other |= value.autograd.graph & Graph::Unrecorded;
    if (value.autograd.disabled)
      result.autograd.disabled = value.autograd.disabled;
    unknown |= (value.autograd.graph & Graph::Unknown) != 0;
    parts |= value.autograd.graph;
    haveDimensions &= value.placement.hasDimensions;
    if (value.lending.borrowed)
      held.lending.borrowed = value.lending.borrowed;
    result.autograd.latest = unitedGraphs(result.autograd.latest, value.autograd.latest, tables);
    if (value.lending.taken) {
      held.lending = value.lending;
      held.lending.shared = tables.sources.join(held.lending.shared, value.lending.shared);
    }
    if (value.autograd.derived)
      derived = value.autograd.derived;
    isOfLeaf |=
        value.autograd.graph == Graph::Attached && (isLeaf(value) || value.autograd.derived);
    if (value.placement.madeOnHost && !event.isAnyDevice)
      result.placement.madeOnHost = value.placement.madeOnHost;
    if (value.placement.freshOnHost)
      fresh = value.placement.freshOnHost;
    onlyFresh &= value.placement.freshOnHost || !operand.isTensor;
    (value.meaning.isMadeUp ? isMadeUp : hasData) |= operand.isTensor;
    held.origin.copied = tables.sources.join(held.origin.copied, value.origin.copied);
    result.placement.hasDimensions |= value.placement.hasDimensions;
    onlyHost &= value.placement.device.kind == Device::Cpu;
    // What meets in an operation is on one device; scalars of the host go along with any.
    bool decides =
        value.placement.device.isKnown() &&
        (value.placement.hasDimensions || value.placement.device.kind != Device::Cpu || onlyHost);
    if (decides && (!result.placement.device.isKnown() || !event.isAnyDevice)) {
      result.placement.device = value.placement.device;
      result.placement.placed = value.placement.placed;
    } else if (result.placement.device.kind == Device::Cpu && !result.placement.hasDimensions &&
               !onlyHost) {
      result.placement.device = {};
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
  result.autograd.graph = 0;
  if (mode & GradMode::On)
    result.autograd.graph |= !attached || isCertain
                                 ? (attached ? unsigned(Graph::Attached) : rest)
                                 : Graph::Attached | (mayBeUnrecorded ? Graph::Unrecorded
                                                      : isOther       ? Graph::Unknown
                                                                      : Graph::Detached);
  // What an operation of the framework computes has no graph then, whatever that is given.
  const bool leavesAny = unknown && event.run && event.isDifferentiable && givesNew(event);
  if (mode & GradMode::Off && (leavesGraph || leavesAny))
    result.autograd.disabled = state.gradMode().set;
  if (mode & GradMode::Off)
    result.autograd.graph |= attached || unrecorded ? unsigned(Graph::Unrecorded)
                             : leavesAny            ? Graph::Unrecorded | Graph::Detached
                                                    : rest;
  if (mode & GradMode::Depends && leavesGraph)
    result.autograd.graph |= Graph::Unknown;
  if (isOfParts && attached && !isCertain) // Of what holds several, that says that one has a graph.
    parts = (parts & ~Graph::Attached) | Graph::Unknown;
  if (isOfParts && parts) {
    result.autograd.graph = static_cast<std::uint8_t>(parts);
    result.placement.hasDimensions &= haveDimensions;
  }
  if (mode == GradMode::Off && leavesGraphs(event))
    result.autograd.graphs = noSources;
  if (mode == GradMode::Off && givesNew(event))
    result.autograd.sources = noSources;
  if (!event.isDifferentiable) {
    result.autograd.graph = Graph::Detached;
    result.autograd.graphs = noSources;
  }
  if (!event.isDifferentiable || mode != GradMode::On)
    result.autograd.latest = {};
  if (onlyFresh && event.kind != EventKind::Forward)
    result.placement.freshOnHost = fresh;
  result.meaning.isMadeUp = isMadeUp && !hasData && event.kind != EventKind::Forward;
  result.placement.hasDimensions &= event.keepsDimensions;
  const Operand *base = event.subject.path       ? &event.subject
                        : event.operands.empty() ? nullptr
                                                 : &event.operands.front();
  if (event.isAnyDevice && base && base->role == TypeRole::Tensor) { // Wherever its indices are.
    Value value = state.valueOf(*base);
    result.placement.device = value.placement.device;
    result.placement.placed = value.placement.placed;
    result.placement.madeOnHost = value.placement.madeOnHost;
  }
  if (event.subject.path && keepsValues(event.operation))
    result.origin.copied = copiedOf(event.subject, state);
  if (keepsValues(event.operation)) {
    const Value before = rearranged(event, state);
    result.origin.made = before.origin.made;
    if (sharesMemory(event.operation))
      result.lending = before.lending;
    if (event.operation != Operation::SelectElements) {
      result.placement.copying = before.placement.copying;
      result.placement.copiedFrom = before.placement.copiedFrom;
    }
  } else if (event.operation != Operation::None || event.kind == EventKind::Forward ||
             (event.typing && event.typing->rule == ResultRule::OneHot) ||
             (event.run && event.site->calls(Aspect::Exponential))) {
    result.origin.made = &event;
  } else if (event.resultRole != TypeRole::Tensor || addsToList(event)) { // A list, a struct.
    if (!isComputed(event))
      result.lending = held.lending;
    result.origin.copied = held.origin.copied;
    result.autograd.derived = derived;
  }
  const bool computes = event.keepsStrides || sharesMemory(event.operation);
  if (event.kind == EventKind::Combine && computes && !event.subject.escapes && isOfLeaf &&
      result.autograd.graph == Graph::Attached && event.resultRole == TypeRole::Tensor)
    result.autograd.derived = &event;
  result.autograd.isRecorded =
      event.resultRole == TypeRole::Tensor && (result.autograd.graph & Graph::Attached);
  result.layout.permuted = permutedBy(event, state);
  result.layout.type = typeOf(event, state);
  const TensorType &type = tables.types[result.layout.type];
  result.placement.hasDimensions =
      hasDimensions(type.shape, result.placement.hasDimensions && !mayLoseDimensions(event));
  const bool isOfIntegers =
      isIntegral(type.element) && (event.resultRole == TypeRole::Tensor || event.run);
  if (isOfIntegers && event.run && event.run->changes(0)) { // `flags.lt_(x)` takes up a graph.
    if (result.autograd.graph & Graph::Attached)
      result.autograd.graph |= Graph::Unknown;
  } else if (isOfIntegers)
    result.autograd.graph = Graph::Detached; // Autograd gives gradients to real numbers alone.
  else if (type.element == ElementType::Unknown && mayGiveIntegers(event) &&
           result.autograd.graph & Graph::Attached)
    result.autograd.graph |= Graph::Unknown;
  result.meaning.order = orderOf(event, state);
  result.meaning.padded = paddedBy(event, state);
  if (event.site->kind == ir::NodeKind::Conditional && event.operands.size() == 2) {
    const Value either = gradtidy::joined(state.valueOf(event.operands[0]),
                                          state.valueOf(event.operands[1]), tables);
    result.stayOn(either);
    result.autograd.graph = either.autograd.graph;
    result.origin.made = either.origin.made;
    result.lending = either.lending;
    result.origin.copied = either.origin.copied;
    result.autograd.derived = either.autograd.derived;
    result.autograd.isRecorded = either.autograd.isRecorded;
    result.autograd.latest = either.autograd.latest;
    result.storage = either.storage;
    result.autograd.cut = either.autograd.cut;
    result.autograd.idleTerm = either.autograd.idleTerm;
  } else {
    result.storage = storageOf(event, state, result);
    if (const Operand *like = laidOutLike(event))
      result.storage.anyStrides = state.valueOf(*like).storage.anyStrides;
    cutGradients(event, state, result);
  }
  const bool isClash = !state.clashes(event).empty();
  if (isClash)
    result.placement.device = {}; // Said once; nothing follows from it.
  if (isClash || result.placement.device.isKnown())
    result.placement.madeOnHost = nullptr;
  return result;
}

Value Interpreter::created(const Event &event, const State &state) const {
  Value result;
  result.autograd.graph = Graph::Detached;
  result.meaning.isNoise = event.isNoise;
  result.meaning.isMadeUp = !event.isData && event.operation != Operation::WrapMemory;
  result.placement.device = {Device::Cpu};
  result.placement.placed = result.origin.made = &event;
  result.layout.type = typeOf(event, state);
  result.placement.hasDimensions =
      hasDimensions(tables.types[result.layout.type].shape, event.keepsDimensions);
  if (event.order.samples == 0)
    result.meaning.order.told = &event;
  if (event.memory) {
    result.lending.borrowed = &event;
    tables.lenders.insert(tables.paths.rootOf(event.memory));
  } else if (!event.isData)
    result.placement.freshOnHost = &event;
  if (event.subject.path) { // Like another tensor.
    Value model = state.valueOf(event.subject);
    result.placement.device = model.placement.device;
    result.placement.placed = model.placement.placed;
    result.placement.hasDimensions =
        hasDimensions(tables.types[result.layout.type].shape, model.placement.hasDimensions);
  }
  for (const Operand &operand : event.operands) {
    if (operand.role != TypeRole::Device)
      continue;
    if (Device device = state.deviceOf(operand); device.kind != Device::Unset)
      result.placement.device = device;
    if (const std::uint8_t asked = state.gradientsAskedBy(operand))
      result.autograd.graph = asked;
  }
  if (result.placement.device.kind != Device::Cpu)
    result.placement.freshOnHost = nullptr;
  result.autograd.cut = readForNew(event);
  result.storage.memory = event.result;
  result.storage.object = result.storage.tensor = tables.paths.element(event.result, 0);
  if (event.operation != Operation::WrapMemory)
    result.storage.origin = event.result;
  result.storage.inference = storageOf(event, state, result).inference;
  if (event.details->holder)
    result.storage.wrapped = &event;
  if (event.operation == Operation::Allocate &&
      !llvm::is_contained(tables.types[result.layout.type].shape.sizes, 0)) {
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
  const unsigned elements = move.typing && move.typing->namesElement; // mayCast tells of these.
  return given <= 1 + elements && flags <= 1; // The second says that a copy is made anyway.
}

Value Interpreter::moved(const Event &event, const State &state) const {
  Value result = combined(event, state);
  Value before = state.valueOf(event.subject);
  result.autograd.sources = before.autograd.sources;
  result.autograd.history = before.autograd.history;
  result.autograd.graphs = before.autograd.graphs;
  result.autograd.latest = before.autograd.latest;
  result.meaning.isNoise = before.meaning.isNoise;
  result.meaning.isMadeUp = before.meaning.isMadeUp;
  result.origin.copied = copiedOf(event.subject, state);
  result.origin.made = before.origin.made;
  result.placement.freshOnHost = before.placement.freshOnHost;
  result.stayOn(before); // In memory of its own it keeps the order.
  result.layout.type = event.typing ? typeOf(event, state) : unknownType;
  cutGradients(event, state, result);
  for (const Operand &operand : event.operands) {
    bool tells = operand.role == TypeRole::Device || operand.role == TypeRole::Tensor ||
                 operand.device.isKnown();
    if (Device device = state.deviceOf(operand); tells && device.kind != Device::Unset) {
      result.placement.device = device;
      result.placement.placed = &event;
      result.placement.madeOnHost = result.placement.freshOnHost = nullptr;
      const bool isOfLeaf = before.autograd.graph == Graph::Attached && isLeaf(before);
      if (isOfLeaf && state.gradMode().possible == GradMode::On &&
          !(device == before.placement.device))
        result.autograd.derived = &event;
      break;
    }
  }
  const ElementType from = tables.types[before.layout.type].element;
  const ElementType to = tables.types[result.layout.type].element;
  const bool mayCast =
      event.typing && (from != to || (event.typing->namesElement && to == ElementType::Unknown));
  if (before.lending.borrowed && onlyMoves(event) && !mayCast &&
      (result.placement.device.kind == Device::Cpu ||
       result.placement.device.kind == Device::Symbol))
    result.lending.borrowed = before.lending.borrowed;
  result.placement.copying = nullptr;
  if (event.isAsync && result.placement.device.kind == Device::Cpu &&
      before.placement.device.kind != Device::Cpu) {
    result.placement.copying = &event;
    result.placement.copiedFrom = before.placement.device;
  }
  if (before.autograd.derived)
    result.autograd.derived = before.autograd.derived;
  return result;
}

} // namespace gradtidy
