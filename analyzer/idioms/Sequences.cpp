#include "Sequences.h"

#include "CodeForms.h"
#include "analyzer/ir/Typing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace gradtidy {

using namespace ir;

/// What \p expr says, or the variable that it names began with.
static const Node *saidBy(const Node *expr) {
  expr = originalOf(expr);
  const Symbol *variable = variableOf(expr);
  return variable && variable->isLocal && variable->init ? originalOf(variable->init) : expr;
}

/// The dimension whose size `x.size(axis)` asks for, as it is written, of the variable \p subject;
/// or none.
static std::optional<std::int64_t> axisIn(const Node *expr, const Symbol *subject) {
  const bool isSize = subject && expr->kind == NodeKind::MemberCall &&
                      expr->calls(Operation::CountElements) && expr->arguments.size() == 1 &&
                      variableOf(expr->object) == subject;
  return isSize ? expr->arguments.front()->integer : std::nullopt;
}

// --- the state from which a layer starts --------------------------------------------------------

/// The variables of \p function that hold the states from which layers start, or parts of them, and
/// the arguments that are these states.
struct States {
  llvm::SmallSetVector<const Symbol *, 4> variables;
  llvm::SmallVector<const Node *, 2> arguments;
};

static States statesIn(const FunctionBody &function) {
  States states;
  const auto addVariables = [&](const Node *code) {
    for (const Symbol *variable : function.namedIn(code))
      if (variable->isLocal)
        states.variables.insert(variable);
  };
  forEach(function.body, [&](const Node &call) {
    const Node *object = call.isCall() && isForward(call.symbol) ? objectOf(call) : nullptr;
    const Symbol *layer = object ? moduleClassOf(object->type) : nullptr;
    const auto arguments = argumentsOf(call);
    if (!layer || layer->operation != Operation::Recur || arguments.size() < 2 ||
        arguments[1]->kind == NodeKind::DefaultArgument)
      return;
    states.arguments.push_back(arguments[1]);
    addVariables(arguments[1]);
  });
  for (size_t i = 0; i < states.variables.size() && i < 8; ++i)
    addVariables(states.variables[i]->init);
  return states;
}

int samplesCountedBy(const Node &size, const FunctionBody &function) {
  const std::optional<std::int64_t> axis =
      size.arguments.size() == 1 ? size.arguments.front()->integer : std::nullopt;
  if (axis != 0 && axis != 1)
    return -1;
  bool isUsed = false;
  const auto look = [&](const Node *made) {
    forEach(made, [&](const Node &part) {
      isUsed |= part.kind == NodeKind::List && part.children.size() == 3 &&
                saidBy(part.children[1]) == &size;
    });
  };
  const States states = statesIn(function);
  for (const Node *argument : states.arguments)
    look(argument);
  for (const Symbol *variable : states.variables)
    look(variable->init);
  return isUsed ? static_cast<int>(*axis) : -1;
}

// --- what is taken of sequences -----------------------------------------------------------------

/// The dimension, of three, that \p axis counts from either end; -1 for the last and unknown ones.
static int dimensionOf(std::int64_t axis) {
  if (axis < 0)
    axis += 3;
  return axis == 0 || axis == 1 ? static_cast<int>(axis) : -1;
}

/// The indices in `x.index({Slice(), -1})`, or none.
static llvm::ArrayRef<const Node *> indicesIn(const Node &call) {
  const Node *list = call.arguments.size() == 1 ? convertedFrom(call.arguments.front()) : nullptr;
  return as(NodeKind::List, list) ? list->children : llvm::ArrayRef<const Node *>();
}

/// Whether the index is a `Slice()` of everything.
static bool isWhole(const Node *index) {
  index = strip(index);
  const Symbol *record = asConstruction(index) ? gradtidy::classOf(index->symbol) : nullptr;
  if (record && record->aspects.has(Aspect::IndexRange))
    return index->writtenArguments() == 0;
  return record && !index->arguments.empty() && isWhole(index->arguments.front());
}

static bool isLast(const Node *index) { return originalOf(index)->integer == -1; }

/// Whether \p index is `x.size(axis) - 1` of the tensor \p x that the call takes it of.
static bool isLastOf(const Node &call, const Node *index, std::int64_t axis) {
  const Node *object = objectOf(call), *minus = saidBy(index);
  return object && minus->kind == NodeKind::Binary && minus->op == "-" &&
         minus->children.back()->integer == 1 &&
         axisIn(originalOf(minus->children.front()), variableOf(object)) == axis;
}

/// The dimension of which the subject of the event loses all but the last entry or the mean.
static int pooledBy(const Node &call, const Event &event) {
  const Typing &typing = *event.typing;
  switch (typing.rule) {
  case ResultRule::Select:
    if (typing.numbers.size() == 1 && typing.numbers[0] == -1)
      return 0; // `x[-1]`
    return typing.numbers.size() == 2 && (typing.numbers[1] == -1 ||
                                          (call.arguments.size() == 2 &&
                                           isLastOf(call, call.arguments[1], typing.numbers[0])))
               ? dimensionOf(typing.numbers[0])
               : -1;
  case ResultRule::Pick: {
    const auto indices = indicesIn(call);
    if (!indices.empty() && isLast(indices[0]))
      return 0;
    return indices.size() > 1 && isWhole(indices[0]) &&
                   (isLast(indices[1]) || isLastOf(call, indices[1], 1))
               ? 1
               : -1;
  }
  case ResultRule::Reduce: {
    const bool isNamed = typing.shape && typing.shape->sizes.size() == 1 && !typing.shape->isOpen;
    if (!call.calls(Aspect::Mean))
      return -1;
    if (isNamed)
      return dimensionOf(typing.shape->sizes[0]);
    return typing.numbers.size() == 1 ? dimensionOf(typing.numbers[0]) : -1;
  }
  default:
    return -1;
  }
}

/// Whether the list of sizes begins with what the subject has there, and is one of three of which
/// the second is certainly more than one, or nobody says that it is one.
static bool keepsFirst(const Node &call, const Event &event) {
  const auto &shape = event.typing->shape;
  if (!shape || shape->isOpen || shape->sizes.size() != 3 || shape->sizes[1] == 1)
    return false;
  if (shape->sizes[0] == -1)
    return shape->sizes[1] > 1 && shape->sizes[2] > 0;
  const auto sizes = indicesIn(call);
  return !sizes.empty() && axisIn(saidBy(sizes.front()), variableOf(event.subject.expr)) == 0;
}

OrderMark orderOf(const Node &call, const Event &event) {
  OrderMark mark;
  if (!event.typing)
    return mark;
  mark.pooled = pooledBy(call, event);
  mark.keepsFirst =
      (event.typing->rule == ResultRule::Reshape || event.typing->rule == ResultRule::Expand) &&
      keepsFirst(call, event);
  return mark;
}

// --- sequences that are filled up ---------------------------------------------------------------

OrderMark orderOfPadded(const Node &pad) {
  OrderMark mark;
  const auto written = pad.arguments.take_front(pad.writtenArguments());
  if (written.size() < 2)
    mark.samples = 1;
  else if (written[1]->integer)
    mark.samples = *written[1]->integer ? 0 : 1;
  mark.isPlain = written.size() < 3 || written[2]->integer == 0 || written[2]->real == 0;
  return mark;
}

bool isPlainLoss(const Node &loss) {
  const auto given = withoutDefaults(argumentsOf(loss));
  return given.size() == 2 && llvm::all_of(given, isTensor);
}

} // namespace gradtidy
