// Operations without a gradient, and what becomes of their results: a loss that is made of nothing
// else has no gradient, and a term that is made of nothing else adds none to it.
#include "analyzer/flow/Arguments.h"
#include "analyzer/flow/Interpreter.h"

#include "analyzer/ir/Typing.h"

namespace gradtidy {

/// Whether the value is there whatever is trained: new numbers.
static bool isConstant(const Value &value) {
  return value.autograd.graph == Graph::Detached && value.origin.made &&
         value.origin.made->kind == EventKind::Create;
}

const Event *commonCut(const Value &a, const Value &b) {
  if (a.autograd.cut && (b.autograd.cut || isConstant(b)))
    return a.autograd.cut;
  return b.autograd.cut && isConstant(a) ? b.autograd.cut : nullptr;
}

void State::addCuts(PathId path, const Value &added) {
  if (Value *value = values.edit(path)) {
    value->autograd.cut = added.autograd.cut;
    value->autograd.idleTerm = added.autograd.idleTerm;
    if (added.autograd.derived) // Of a list, that of one element.
      value->autograd.derived = added.autograd.derived;
  }
}

/// Whether the event gives the indices that belong to values: the second part of `x.max(1)`.
static bool givesIndices(const Event &event, const PathTable &paths) {
  return event.kind == EventKind::Combine && !event.isDifferentiable && !event.run &&
         event.resultRole == TypeRole::Tensor && paths.last(event.result).kind == PathStep::Element;
}

/// Whether the event computes tensors, or hands them on, and does nothing else of which one would
/// have to know.
static bool isFollowed(const Event &event, const PathTable &paths) {
  switch (event.kind) {
  case EventKind::Forward:
    return event.isStateless && !event.callee;
  case EventKind::Construct: // Of a list.
    return event.subject.role == TypeRole::None;
  case EventKind::Move:
    return !isModule(event.subject.role);
  case EventKind::Combine:
    return event.run || event.operation != Operation::None || event.isAnyDevice ||
           !event.site->isCall() || givesIndices(event, paths);
  default:
    return false;
  }
}

/// Whether no gradient goes through the event, whatever it is given.
static bool endsGradients(const Event &event, const TensorType &result, const PathTable &paths) {
  if (event.isArithmetic || event.isAttribute)
    return false;
  if (event.kind == EventKind::Move ||
      (event.typing && event.typing->rule == ResultRule::Cast && event.run))
    return isIntegral(result.element);
  if (givesIndices(event, paths))
    return true;
  return event.kind == EventKind::Combine && event.run && !event.run->isRandom() &&
         !event.changesElements && (event.run->lacksGradient() || !event.isDifferentiable);
}

/// Whether the gradient of what the event computes depends on the elements of its argument
/// \p index: what is added to that makes a difference.
static bool usesElements(const Event &event, unsigned index) {
  if (!event.run)
    return event.kind != EventKind::Move && !event.isAnyDevice && !keepsValues(event.operation);
  for (const Overload &overload : event.run->overloads) {
    if (!fits(overload, event))
      continue;
    if (overload.gradient != GradientRule::Formula && !keepsValues(event.operation))
      return true;
    for (const Overload::Saved &rule : overload.saves)
      if (rule.result || llvm::is_contained(rule.arguments, index))
        return true;
  }
  return false;
}

/// Whether the event adds or subtracts: the gradient of each term is that of the sum.
static bool isSum(const Event &event) {
  unsigned terms = 0;
  forArguments(event, [&](unsigned, const Operand &operand) {
    terms += operand.role == TypeRole::Tensor || isNumber(operand);
  });
  if (!event.run || terms < 2)
    return false;
  const auto isLinear = [&](const Overload &overload) {
    return overload.gradient == GradientRule::Formula && overload.saves.empty();
  };
  const ResultRule rule = event.typing ? event.typing->rule : ResultRule::None;
  const bool isOfElements = rule == ResultRule::None || isPairwise(rule) || keepsShape(rule);
  const std::vector<Overload> &overloads = event.run->overloads;
  return isOfElements && !overloads.empty() && overloads.front().tensors.size() == 2 &&
         llvm::all_of(overloads, isLinear);
}

/// Whether the factory gives the elements the values of \p operand.
static bool givesValue(const Event &factory, const Operand &operand) {
  if (!factory.typing || !operand.expr || operand.isTensor || operand.role != TypeRole::None)
    return false;
  return factory.typing->rule == ResultRule::Values ||
         (factory.typing->rule == ResultRule::Full && isNumber(operand));
}

const Event *Interpreter::readForNew(const Event &factory) const {
  for (const Operand &operand : factory.operands)
    if (givesValue(factory, operand))
      if (const Event *read = numbers.readFor(operand.expr, *factory.function, callers))
        return read;
  return nullptr;
}

// --- results

void Interpreter::cutGradients(const Event &event, const State &state, Value &result) const {
  result.autograd.cut = result.autograd.idleTerm = nullptr;
  if (!(state.gradMode().possible & GradMode::On) || event.isGuarded ||
      !isFollowed(event, tables.paths))
    return;
  const Event *cut = nullptr, *idle = nullptr, *term = nullptr;
  const Operand *number = nullptr;
  unsigned tensors = 0;
  bool hasOther = false, isUsed = false, ends = false;
  forArguments(event, [&](unsigned index, const Operand &operand) {
    if (isModule(operand.role))
      return;
    if (!operand.isTensor) {
      number = index == 1 ? &operand : number;
      return;
    }
    ++tensors;
    const Value value = state.valueOf(operand);
    ends |= value.autograd.mayHaveGraph();
    if (value.autograd.cut) {
      cut = value.autograd.cut;
      if (tables.types[value.layout.type].shape.isOne())
        term = value.autograd.cut;
    } else if (const ListFacts *list = state.list(operand.path); !list || !list->isEmpty) {
      hasOther |= value.autograd.graph & ~unsigned(Graph::Detached);
    }
    if (value.autograd.idleTerm) {
      idle = value.autograd.idleTerm;
      isUsed |= usesElements(event, index);
    }
  });
  if (ends && endsGradients(event, tables.types[result.layout.type], tables.paths))
    result.autograd.cut = cut ? cut : &event;
  else if (cut && !hasOther)
    result.autograd.cut = cut;
  else if (idle && !isUsed)
    result.autograd.idleTerm = idle;
  else if (term && isSum(event))
    result.autograd.idleTerm = term;
  else if (ends && number && tensors == 1 && isSum(event))
    result.autograd.idleTerm = numbers.readFor(number->expr, *event.function, callers);
}

} // namespace gradtidy
