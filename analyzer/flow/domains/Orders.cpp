// Which dimension of a tensor counts the samples of a batch, through what is done to it.
#include "analyzer/flow/Types.h"

#include "analyzer/flow/Interpreter.h"

#include "analyzer/ir/Typing.h"

#include "llvm/ADT/Sequence.h"

#include <optional>

namespace gradtidy {
namespace {

/// Where a dimension is after two have changed places, or all were put in an order.
std::optional<std::int64_t> movedTo(const Typing &typing, std::int64_t dimension) {
  if (typing.rule == ResultRule::Transpose) {
    if (typing.numbers.size() != 2 || typing.numbers[0] < 0 || typing.numbers[1] < 0)
      return std::nullopt;
    for (const bool isSecond : {false, true})
      if (typing.numbers[isSecond] == dimension)
        return typing.numbers[!isSecond];
    return dimension;
  }
  if (!typing.shape || typing.shape->isOpen)
    return std::nullopt;
  const auto *found = std::find(typing.shape->sizes.data(),
                                typing.shape->sizes.data() + typing.shape->sizes.size(), dimension);
  const std::int64_t place = found - typing.shape->sizes.data();
  return place < std::int64_t(typing.shape->sizes.size()) ? std::optional(place) : std::nullopt;
}

SampleOrder reordered(const SampleOrder &order, const Typing &typing) {
  const std::optional<std::int64_t> samples = movedTo(typing, order.isSecond);
  const std::optional<std::int64_t> steps = movedTo(typing, !order.isSecond);
  const bool isPair = steps == 0 || steps == 1;
  if ((samples != 0 && samples != 1) || ((order.isSequence || order.parameter) && !isPair))
    return {};
  SampleOrder result = order;
  result.isSecond = samples == 1;
  return result;
}

} // namespace

SampleOrder Interpreter::orderOf(const Event &event, const State &state) const {
  if (event.operation == Operation::Pad && event.order.samples >= 0)
    return {.told = &event, .isSecond = event.order.samples == 1};
  if (!event.typing || (event.kind == EventKind::Forward && graph.calleeOf(event)))
    return {};
  SampleOrder order; // Of all of the tensors that have one.
  for (const Operand *tensor : tensorsOf(event)) {
    const SampleOrder each = state.valueOf(*tensor).meaning.order;
    if (each.isKnown() && order.isKnown() && !(each == order))
      return {};
    if (each.isKnown())
      order = each;
  }
  if (!order.isKnown() || order.isState)
    return {};
  const Typing &typing = *event.typing;
  const std::int64_t axis = typing.numbers.empty() ? Typing::noNumber : typing.numbers.front();
  bool keeps = false;
  switch (typing.rule) {
  case ResultRule::Same:
  case ResultRule::Normalize1:
  case ResultRule::Normalize2:
  case ResultRule::Normalize3:
  case ResultRule::Update:
  case ResultRule::Elementwise:
  case ResultRule::Filled:
  case ResultRule::Masked:
  case ResultRule::Real:
  case ResultRule::Cast:
  case ResultRule::Slice:
  case ResultRule::Linear:
  case ResultRule::Embed:
    keeps = true;
    break;
  case ResultRule::Unsqueeze:
    keeps = axis >= 2 || axis == -1;
    break;
  case ResultRule::Squeeze:
    keeps = axis >= 2 || (axis == 1 && order.told && !order.isSecond && !order.isSequence);
    break;
  case ResultRule::Reshape:
  case ResultRule::Expand:
    keeps = event.order.keepsFirst && !order.isSecond && !order.isSequence;
    break;
  case ResultRule::Transpose:
  case ResultRule::Permute:
    return reordered(order, typing);
  default:
    break;
  }
  return keeps ? order : SampleOrder();
}

std::optional<bool> Interpreter::takesSecond(const Event &forward) const {
  if (forward.operation == Operation::Attend)
    return true;
  if (forward.operation != Operation::Recur || !program.keepsOrders())
    return std::nullopt;
  const Answer batchFirst = layerOf(forward).batchFirst;
  return batchFirst == Answer::Unknown ? std::nullopt : std::optional(batchFirst == Answer::No);
}

void Interpreter::orderSteps(const Event &event, State &state, const Value &value) const {
  const std::optional<bool> isSecond = takesSecond(event);
  if (!isSecond || event.operands.empty() || !event.result)
    return;
  const Value input = state.valueOf(event.operands.front());
  Value steps = value;
  steps.meaning.order = {.told = &event,
                         .isSecond = *isSecond,
                         .isSequence = true,
                         .isBatch = input.meaning.order.told ||
                                    state.typeOf(event.operands.front()).shape.hasRank(3)};
  const bool isAlone = event.resultRole == TypeRole::Tensor; // Not beside the last state.
  state.setValue(isAlone ? event.result : tables.paths.element(event.result, 0), steps);
  if (event.operation != Operation::Recur)
    return;
  Value last = value;
  last.meaning.order = {.told = &event, .isState = true};
  state.setValue(tables.paths.element(event.result, 1), last);
}

const Event *Interpreter::paddedBy(const Event &event, const State &state) const {
  if (event.operation == Operation::Pad)
    return event.order.isPlain ? &event : nullptr;
  if (!event.typing)
    return nullptr;
  switch (event.typing->rule) {
  case ResultRule::Same:
  case ResultRule::Normalize1:
  case ResultRule::Normalize2:
  case ResultRule::Normalize3:
  case ResultRule::Update:
  case ResultRule::Real:
  case ResultRule::Cast:
  case ResultRule::Linear:
  case ResultRule::Embed:
  case ResultRule::Reshape:
  case ResultRule::Expand:
  case ResultRule::Flatten:
  case ResultRule::Transpose:
  case ResultRule::Permute:
  case ResultRule::Unsqueeze:
  case ResultRule::Squeeze:
    break;
  default:
    return nullptr;
  }
  const auto tensors = tensorsOf(event); // A mask may be among several.
  return tensors.size() == 1 ? state.valueOf(*tensors.front()).meaning.padded : nullptr;
}

void Interpreter::noteEnd(const Event &event, const State &state) {
  const auto note = [&](const Operand &operand) {
    if (operand.role != TypeRole::Tensor || !operand.path)
      return;
    const SampleOrder order = state.valueOf(operand).meaning.order;
    const bool isLast = order.isSequence && event.order.pooled == int(!order.isSecond);
    const bool isState =
        order.isState && (event.kind == EventKind::Forward || event.operation == Operation::View ||
                          event.operation == Operation::Index);
    if (order.told && (isLast || isState))
      endTakers.try_emplace(order.told, &event);
  };
  note(event.subject);
  if (event.kind == EventKind::Forward)
    llvm::for_each(event.operands, note);
}

void Interpreter::tellOrder(const Event &event, State &state) const {
  if (!event.isAttribute || event.order.samples < 0)
    return;
  const PathId object = state.resolve(event.subject.path);
  Value value = state.valueOf(event.subject);
  if (object == tables.paths.unknown() || value.meaning.order.told)
    return;
  value.meaning.order = {.told = &event, .isSecond = event.order.samples == 1};
  state.setValue(object, value);
}

void Interpreter::nameOrders(const FunctionBody &body, State &state) const {
  const auto getsOn = [&](const Event &event) {
    return event.kind == EventKind::Forward &&
           (event.operation == Operation::Recur || event.operation == Operation::Attend ||
            llvm::any_of(llvm::seq<unsigned>(0, event.operands.size()),
                         [&](unsigned i) { return receiverOf(event, i).layer; }));
  };
  if (llvm::none_of(body.blocks,
                    [&](const Block &block) { return llvm::any_of(block.events, getsOn); }))
    return;
  for (const FunctionBody::Parameter &parameter : body.parameters)
    if (parameter.place.role == TypeRole::Tensor && parameter.place.path) {
      Value value = state.valueOf(parameter.place);
      value.meaning.order.parameter = parameter.declaration;
      state.setValue(parameter.place.path, value);
    }
}

Interpreter::Receiver Interpreter::receiverOf(const Event &forward, unsigned operand) const {
  const FunctionBody *body = forward.kind == EventKind::Forward ? graph.calleeOf(forward) : nullptr;
  return body && operand < body->parameters.size()
             ? receivers.lookup(body->parameters[operand].declaration)
             : Receiver();
}

void Interpreter::noteReceivers(const Event &forward, const State &state) {
  for (unsigned i = 0; i < forward.operands.size(); ++i) {
    const bool isLayer = takesSecond(forward) && i == 0;
    const Receiver inner = isLayer ? Receiver{.layer = &forward} : receiverOf(forward, i);
    if (!inner.layer)
      continue;
    const SampleOrder order = state.valueOf(forward.operands[i]).meaning.order;
    if (order.parameter)
      receivers.try_emplace(order.parameter,
                            Receiver{inner.layer, inner.isSwapped != order.isSecond});
  }
}

} // namespace gradtidy
