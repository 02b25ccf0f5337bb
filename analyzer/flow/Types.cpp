// The elements and shapes of what events give.
#include "Types.h"

#include "Arguments.h"
#include "Interpreter.h"

#include "analyzer/ir/Typing.h"
#include "analyzer/model/Operators.h"

namespace gradtidy {

llvm::SmallVector<const Operand *, 4> tensorsOf(const Event &event) {
  llvm::SmallVector<const Operand *, 4> tensors;
  forArguments(event, [&](unsigned, const Operand &operand) {
    if (operand.path && operand.role == TypeRole::Tensor)
      tensors.push_back(&operand);
  });
  return tensors;
}

std::optional<Crossing> crossingOf(const Event &event, const State &state) {
  const bool isLoss = event.typing && event.typing->rule == ResultRule::Loss;
  const bool meets = isLoss || (event.typing && isPairwise(event.typing->rule));
  const auto tensors = meets ? tensorsOf(event) : llvm::SmallVector<const Operand *, 4>();
  if (tensors.size() < 2)
    return std::nullopt;
  for (const bool isSwapped : {false, true}) {
    const Operand *column = tensors[isSwapped], *row = tensors[!isSwapped];
    const Shape one = state.typeOf(*column).shape, other = state.typeOf(*row).shape;
    const bool isColumn = one.last() == 1 && (one.isOpen || one.hasRank(2)) &&
                          !(one.hasRank(2) && one.sizes.front() == 1);
    const bool isVector = other.hasRank(1) && other.last() != 1;
    const bool isRow = isVector || (isLoss && (other.last() > 1 || other.last() == Shape::many));
    // Whatever it has been squeezed out of had as many rows as the column.
    const bool isOfSamples = one.hasRank(2) && one.sizes.front() < 0;
    const Event *made = isLoss ? state.valueOf(*column).origin.made : nullptr;
    const bool isPrediction = made && made->kind == EventKind::Forward && one.isOpen;
    const bool isLikeRow = other.isSqueezed && other.sizes.empty() && (isOfSamples || isPrediction);
    // What a convolution gives has a feature and its space for each sample.
    const bool isMap = isLoss && one.sizes.size() > 2 && !one.isOne();
    if ((isColumn && (isRow || isLikeRow)) || (isMap && isVector))
      return Crossing{column, row};
  }
  return std::nullopt;
}

/// Whether all overloads of the operator that have an argument of that number call it so.
static bool isNamed(const Operator &run, unsigned index, llvm::StringRef name) {
  bool isFound = false;
  for (const Overload &overload : run.overloads)
    if (index < overload.arguments.size()) {
      isFound = true;
      if (overload.arguments[index].name != name)
        return false;
    }
  return isFound;
}

/// The first tensor among the arguments that the operator calls \p name whose elements are bad.
static const Operand *badArgument(const Event &event, const State &state, llvm::StringRef name,
                                  llvm::function_ref<bool(ElementType)> isBad) {
  const Operand *bad = nullptr;
  forArguments(event, [&](unsigned index, const Operand &operand) {
    if (!bad && operand.role == TypeRole::Tensor && isNamed(*event.run, index, name) &&
        isBad(state.typeOf(operand).element))
      bad = &operand;
  });
  return bad;
}

const Operand *badMaskOf(const Event &event, const State &state) {
  if (!event.run)
    return nullptr;
  const bool isChoice = event.run->rule == ResultRule::Choose;
  if (isChoice && event.resultRole != TypeRole::Tensor) // Where it is not 0: of any numbers.
    return nullptr;
  return badArgument(event, state, isChoice ? "condition" : "mask", [&](ElementType element) {
    return element != ElementType::Unknown && element != ElementType::Bool &&
           (!isChoice || element != ElementType::UInt8);
  });
}

const Operand *badIndexOf(const Event &event, const State &state) {
  return event.run ? badArgument(event, state, "index", isFloating) : nullptr;
}

namespace {

/// The sizes that a list names; those below 0 are for the framework to find.
Shape sized(const std::optional<Shape> &list) {
  Shape shape = list.value_or(Shape());
  for (std::int64_t &size : shape.sizes)
    size = std::max(size, Shape::unknown);
  return shape;
}

/// The same of the list by which \p shape is reshaped: the size that is left open follows from the
/// number of elements.
Shape reshaped(const Shape &shape, const std::optional<Shape> &list) {
  Shape result = sized(list);
  const auto open = llvm::find(result.sizes, Shape::unknown);
  if (shape.isOpen || open == result.sizes.end() || !list || list->isOpen ||
      list->sizes[open - result.sizes.begin()] != -1)
    return result;
  *open = 1;
  const std::optional<std::int64_t> count = countOf(shape.sizes), named = countOf(result.sizes);
  *open = count && named && *named > 0 && *count % *named == 0 ? *count / *named : Shape::unknown;
  return result;
}

/// How many numbers the event gives that counts from one integer to another.
std::int64_t numbersIn(const Event &event) {
  llvm::SmallVector<std::int64_t, 3> written;
  for (const Operand &operand : event.operands)
    if (const ir::Node *number = isNumber(operand) ? &operand.expr->spelled() : nullptr) {
      if (!number->integer)
        return Shape::unknown;
      written.push_back(*number->integer);
    }
  if (written.empty())
    return Shape::unknown;
  if (written.size() == 1)
    written.insert(written.begin(), 0);
  const std::int64_t step = written.size() > 2 ? written[2] : 1;
  const std::int64_t length = written[1] - written[0];
  if (step == 0 || (length > 0) != (step > 0))
    return Shape::unknown;
  return (length + step - (step > 0 ? 1 : -1)) / step;
}

/// Whether the dimensions that the event goes over stay, with size 1: its last flag says that, but
/// not the one of a variance.
bool keepsAxes(const Event &event) {
  bool keeps = event.typing->keepsAxes;
  if (keeps && event.run)
    forArguments(event, [&](unsigned index, const Operand &operand) {
      if (operand.expr && ir::stripped(operand.expr)->kind == ir::NodeKind::Boolean)
        keeps = llvm::none_of(event.run->overloads, [&](const Overload &overload) {
          return index < overload.arguments.size() && overload.arguments[index].name == "unbiased";
        });
    });
  return keeps;
}

Shape over(const Shape &shape, const Event &event) {
  const Typing &typing = *event.typing;
  const bool keeps = keepsAxes(event);
  if (!typing.shape && typing.numbers.empty())
    return Shape::of({});
  llvm::SmallVector<std::int64_t, 2> axes = typing.numbers;
  if (typing.shape && typing.shape->isOpen)
    return {};
  if (typing.shape)
    axes.assign(typing.shape->sizes.begin(), typing.shape->sizes.end());
  if (axes.empty()) // An empty list stands for all.
    return keeps ? Shape() : Shape::of({});
  if (axes.size() > 1 && !keeps) { // The last first, to keep the others in place.
    if (llvm::any_of(axes, [](std::int64_t axis) { return axis < 0; }))
      return {};
    llvm::sort(axes, std::greater<>());
  }
  Shape result = shape;
  for (const std::int64_t axis : axes)
    result = axis == Typing::noNumber ? Shape() : reduced(result, axis, keeps);
  return result;
}

/// Whether a loss of these that is not reduced has several elements: the batches of a program have,
/// if nothing says that there is one sample.
bool keepsMany(llvm::ArrayRef<TensorType> given) {
  return llvm::none_of(given, [](const TensorType &type) { return type.shape.isOne(); });
}

/// What \p count tensors of \p shape are beside each other along \p axis.
Shape timesAlong(const Shape &shape, std::int64_t axis, std::int64_t count) {
  const auto rank = static_cast<std::int64_t>(shape.sizes.size());
  const std::int64_t index = axis < 0 ? axis + rank : axis;
  const bool isKnown = (axis < 0 || !shape.isOpen) && index >= 0 && index < rank && count > 0;
  const std::int64_t size = isKnown ? shape.sizes[index] : Shape::unknown;
  return resized(shape, axis, size > 0 ? size * count : Shape::unknown);
}

/// Whether the index is for a dimension that is there already.
bool isForOne(Pick pick) { return pick == Pick::All || pick == Pick::Some || pick == Pick::One; }

/// What the first of \p picks makes of \p shape, of which it is for the dimension \p axis.
Shape pickedAt(const Shape &shape, Pick pick, std::int64_t axis) {
  switch (pick) {
  case Pick::One:
    return reduced(shape, axis, /*keeps=*/false);
  case Pick::Some:
    return resized(shape, axis, Shape::unknown);
  case Pick::New:
    return unsqueezed(shape, axis);
  default:
    return shape;
  }
}

/// What a list of indices leaves of \p shape.
Shape picked(const Shape &shape, llvm::ArrayRef<Pick> picks) {
  const Pick *rest = llvm::find(picks, Pick::Rest);
  const bool hasRest = rest != picks.end();
  const auto counted = static_cast<size_t>(llvm::count_if(picks, isForOne));
  if (llvm::is_contained(picks, Pick::Other) || (shape.isOpen && !hasRest) ||
      (!shape.isOpen && counted > shape.sizes.size())) {
    Shape some; // A range leaves at least the dimension that it is for.
    if (llvm::is_contained(picks, Pick::All) || llvm::is_contained(picks, Pick::Some))
      some.sizes = {Shape::unknown};
    return some;
  }
  Shape result = shape;
  std::int64_t axis = 0;
  if (!shape.isOpen)
    for (Pick pick : llvm::make_range(picks.begin(), rest)) {
      result = pickedAt(result, pick, axis);
      axis += pick != Pick::One;
    }
  if (!hasRest)
    return result;
  const llvm::ArrayRef<Pick> behind(rest + 1, picks.end());
  auto left = static_cast<std::int64_t>(llvm::count_if(behind, isForOne));
  for (Pick pick : behind) {
    result = pickedAt(result, pick, pick == Pick::New ? -left - 1 : -left);
    left -= isForOne(pick);
  }
  return result;
}

/// In as many dimensions, of which the sizes are not known.
Shape unsized(const Shape &shape) {
  return {.isOpen = shape.isOpen,
          .sizes = std::vector<std::int64_t>(shape.sizes.size(), Shape::unknown)};
}

/// Whether a number stands before the tensor: `1 - x`.
bool beginsWithNumber(const Event &event) {
  return !event.subject.path && !event.operands.empty() && isNumber(event.operands.front());
}

ElementType real(ElementType element) {
  return isIntegral(element) ? ElementType::Float32 : element;
}

/// What arithmetic with a number makes of the elements.
ElementType withNumber(ElementType element, ElementType number) {
  if (isFloating(element) || number == element)
    return element;
  if (element == ElementType::Unknown || number == ElementType::Unknown)
    return ElementType::Unknown;
  return isFloating(number) || element == ElementType::Bool ? number : element;
}

} // namespace

Reduction reductionOf(const Event &event) {
  Reduction reduction = event.typing->reduction;
  if (event.run)
    forArguments(event, [&](unsigned index, const Operand &operand) {
      if (!operand.expr || !isNamed(*event.run, index, "reduction"))
        return;
      const ir::Node &number = *ir::stripped(operand.expr);
      if (number.kind == ir::NodeKind::Integer)
        reduction = number.integer == 0   ? Reduction::Kept
                    : number.integer == 1 ? Reduction::Mean
                                          : Reduction::Sum;
    });
  return reduction;
}

void Interpreter::noteLayer(const Event &forward, const State &state) {
  const auto [known, isNew] = layers.try_emplace(&forward);
  RunLayer &run = known->second;
  if (isNew) {
    run.layer = forward.module().layer;
    run.isWritten = run.layer.isKnown();
  }
  if (run.isWritten)
    return;
  const Layer here = state.module(forward.subject).layer;
  if (isNew)
    run.layer = here;
  else if (!(run.layer == here))
    run.layer = {};
}

TypeId Interpreter::typeOfPass(const Event &event, const State &state) const {
  if (graph.calleeOf(event))
    return unknownType; // See ForwardPasses.cpp.
  const Layer layer = layerOf(event);
  const auto tensors = tensorsOf(event);
  llvm::SmallVector<TensorType, 2> given;
  for (const Operand *tensor : tensors)
    given.push_back(state.typeOf(*tensor));
  const TensorType input = given.empty() ? TensorType() : given.front();
  const bool isFloat = program.assumesFloats() && state.autocast().possible == Autocast::Off;
  const ElementType weighted = isFloat ? ElementType::Float32 : ElementType::Unknown;
  TensorType result;
  if (!layer.steps.empty()) {
    result = input;
    for (const SizedLayer &step : layer.steps) {
      result.shape = step.apply(result.shape);
      if (step.isWeighted())
        result.element = weighted;
      else if (step.kind == SizedLayer::Other)
        result.element = ElementType::Unknown;
    }
    return tables.types.of(result);
  }
  switch (layer.rule) {
  case ResultRule::Loss:
  case ResultRule::SqueezedLoss:
  case ResultRule::ClassLoss:
    if (givesOne(layer.reduction))
      result.shape = Shape::of({});
    else if (layer.reduction == Reduction::Kept)
      result.shape.isMany = keepsMany(given);
    result.element = input.element;
    break;
  default:
    break;
  }
  return tables.types.of(result);
}

TypeId Interpreter::typeOfElements(const Event &event, const State &state) const {
  TypeId type = noType;
  for (const Operand &part : event.operands)
    if (part.isTensor)
      type = tables.types.join(type, part.role == TypeRole::Tensor ? state.valueOf(part).layout.type
                                                                   : state.typeOfElements(part));
  return type;
}

TypeId Interpreter::typeOf(const Event &event, const State &state) const {
  if (event.kind == EventKind::Forward)
    return typeOfPass(event, state);
  if (event.site->kind == ir::NodeKind::List)
    return typeOfElements(event, state);
  if (!event.typing)
    return unknownType;
  const Typing &typing = *event.typing;
  const ElementType standard =
      program.assumesFloats() ? ElementType::Float32 : ElementType::Unknown;
  const auto named = [&](ElementType otherwise) {
    return typing.namesElement ? typing.element : otherwise;
  };
  const auto ofNumber = [&](ElementType number) { return isFloating(number) ? standard : number; };
  const auto tensors = tensorsOf(event);
  llvm::SmallVector<TensorType, 2> given;
  for (const Operand *tensor : tensors)
    given.push_back(state.typeOf(*tensor));
  const TensorType first = given.empty() ? TensorType() : given.front();
  const std::int64_t axis = typing.numbers.empty() ? Typing::noNumber : typing.numbers.front();
  const auto axisOr = [&](std::int64_t otherwise) {
    return typing.numbers.empty() ? otherwise : axis;
  };
  TensorType result;
  switch (typing.rule) {
  case ResultRule::None:
  case ResultRule::Linear: // Layers, see above.
  case ResultRule::Embed:
  case ResultRule::Weighted1:
  case ResultRule::Weighted2:
  case ResultRule::Weighted3:
  case ResultRule::Transposed1:
  case ResultRule::Transposed2:
  case ResultRule::Transposed3:
    break;
  case ResultRule::Pool1:
  case ResultRule::Pool2:
  case ResultRule::Pool3:
  case ResultRule::Adaptive1:
  case ResultRule::Adaptive2:
  case ResultRule::Adaptive3:
    result.element = first.element;
    for (const SizedLayer &step : event.module().layer.steps)
      result.shape = step.apply(first.shape);
    break;
  case ResultRule::Sizes:
    if (tensors.empty())
      result = {named(standard), sized(typing.shape)};
    break;
  case ResultRule::Full:
    result = {named(ofNumber(typing.number)), sized(typing.shape)};
    break;
  case ResultRule::Integers:
    result = {named(ElementType::Int64),
              typing.shape ? sized(typing.shape) : Shape::of({Shape::unknown})};
    break;
  case ResultRule::Range:
    result = {named(ofNumber(typing.number)), Shape::of({numbersIn(event)})};
    break;
  case ResultRule::Steps:
    result = {named(standard), Shape::of({Shape::unknown})};
    break;
  case ResultRule::Values:
    if (typing.shape)
      result = {named(ofNumber(typing.number)), *typing.shape};
    break;
  case ResultRule::Memory:
    result = {named(standard), sized(typing.shape)};
    break;
  case ResultRule::Like:
    result = {named(first.element), first.shape};
    result.shape.isMany = false;
    break;
  case ResultRule::New:
    result = {named(first.element), sized(typing.shape)};
    break;
  case ResultRule::Same:
  case ResultRule::Update:
  case ResultRule::Normalize1:
  case ResultRule::Normalize2:
  case ResultRule::Normalize3:
    result = first;
    break;
  case ResultRule::Elementwise:
  case ResultRule::Filled:
  case ResultRule::Real:
  case ResultRule::Compare:
    for (const TensorType &each : given) {
      const bool isFirst = &each == given.begin();
      result.element = isFirst ? each.element : promote(result, each);
      result.shape = isFirst ? each.shape : broadcast(result.shape, each.shape);
    }
    if (given.size() == 1 && !(typing.rule == ResultRule::Filled && beginsWithNumber(event)))
      result.element = withNumber(result.element, typing.number);
    if (typing.rule == ResultRule::Real && !typing.isRounded)
      result.element = named(real(result.element));
    if (typing.rule == ResultRule::Compare)
      result.element = ElementType::Bool;
    break;
  case ResultRule::Choose:
    if (given.size() == 1 && event.resultRole != TypeRole::Tensor) { // Where the flags are.
      result = {ElementType::Int64, Shape::of({Shape::unknown})};
      break;
    }
    for (const TensorType &each : given)
      result.shape = &each == given.begin() ? each.shape : broadcast(result.shape, each.shape);
    if (given.size() == 3)
      result.element = promote(given[1], given[2]);
    else if (given.size() == 2)
      result.element = withNumber(given[1].element, typing.number);
    break;
  case ResultRule::Masked:
    result = {first.element,
              given.size() > 1 ? broadcast(first.shape, given[1].shape) : first.shape};
    break;
  case ResultRule::Flags:
    result = {ElementType::Bool, first.shape};
    break;
  case ResultRule::Numbers:
    result = {ElementType::Int64, first.shape};
    break;
  case ResultRule::Accumulate:
    result = {named(isIntegral(first.element) ? ElementType::Int64 : first.element), first.shape};
    break;
  case ResultRule::Sum:
    result = {named(isIntegral(first.element) ? ElementType::Int64 : first.element),
              over(first.shape, event)};
    break;
  case ResultRule::Reduce:
    if (given.size() > 1) // The larger of two.
      result = {promote(given[0], given[1]), broadcast(given[0].shape, given[1].shape)};
    else
      result = {named(first.element), over(first.shape, event)};
    break;
  case ResultRule::RealReduce:
    result = {named(real(first.element)), over(first.shape, event)};
    break;
  case ResultRule::Test: // Of bytes, bytes.
    result = {first.element == ElementType::Unknown || first.element == ElementType::UInt8
                  ? first.element
                  : ElementType::Bool,
              over(first.shape, event)};
    break;
  case ResultRule::IndexReduce:
    result = {ElementType::Int64, over(first.shape, event)};
    if (typing.keepsAxes && !typing.shape && typing.numbers.empty())
      result.shape = {}; // As many as there were, of size 1.
    break;
  case ResultRule::Reshape: {
    result = {first.element, reshaped(first.shape, typing.shape)};
    result.shape.isMany = first.shape.isMany;
    result.shape.isArranged = result.shape.last() == 1;
    break;
  }
  case ResultRule::Expand:
    result = {first.element, expanded(first.shape, typing.shape.value_or(Shape()))};
    break;
  case ResultRule::Unsqueeze:
    result = {first.element, unsqueezed(first.shape, axis)};
    break;
  case ResultRule::Squeeze:
    result = {first.element,
              typing.numbers.empty() ? squeezed(first.shape) : squeezed(first.shape, axis)};
    break;
  case ResultRule::Flatten:
    result = {first.element, flattened(first.shape, axisOr(0),
                                       typing.numbers.size() > 1 ? typing.numbers[1] : -1)};
    break;
  case ResultRule::Transpose:
    result = {first.element, typing.numbers.size() == 2
                                 ? transposed(first.shape, axis, typing.numbers[1])
                                 : transposed(first.shape, -1, -2)};
    break;
  case ResultRule::Permute:
    result.element = first.element;
    if (typing.shape && !typing.shape->isOpen)
      result.shape = permuted(first.shape, typing.shape->sizes);
    break;
  case ResultRule::Select: {
    // `x[i]` takes from the first, `x.select(d, i)` from the first number.
    const std::int64_t from = typing.numbers.size() > 1 ? axis : 0;
    result = {first.element, reduced(first.shape, from, /*keeps=*/false)};
    if (first.shape.isOpen)
      result.shape = {};
    break;
  }
  case ResultRule::Unbind:
    result = {first.element, reduced(first.shape, axisOr(0), /*keeps=*/false)};
    break;
  case ResultRule::Slice:
    result = {first.element, resized(first.shape, axisOr(0), Shape::unknown)};
    break;
  case ResultRule::Gather:
    result.element = first.element;
    if (given.size() == 2)
      result.shape = given[1].shape;
    result.shape.isArranged = false; // The index has to look like what it selects from.
    break;
  case ResultRule::Alike:
    result.element = first.element;
    if (given.size() == 2)
      result.shape = given[1].shape;
    break;
  case ResultRule::Pick:
    result = {first.element, picked(first.shape, typing.picks)};
    break;
  case ResultRule::Resize:
    result = {first.element, unsized(first.shape)};
    break;
  case ResultRule::Grown:
    result = {first.element, unsized(first.shape)};
    result.shape.isOpen = true;
    for (const TensorType &each : given) // Each with each.
      result.element = promote({result.element, first.shape}, each);
    break;
  case ResultRule::Elements:
    result.element = first.element;
    break;
  case ResultRule::Gathered:
    result.element = tables.types[typeOfElements(event, state)].element;
    break;
  case ResultRule::Scalar:
    result = {first.element, Shape::of({})};
    break;
  case ResultRule::Positions:
    result = {ElementType::Int64, Shape::of({Shape::unknown, Shape::unknown})};
    break;
  case ResultRule::Stack:
    result = tables.types[typeOfElements(event, state)];
    result.shape.isMany = result.shape.isSqueezed = false;
    if (!result.shape.isOpen || axisOr(0) != 0) // Else it comes before what is known.
      result.shape = resized(unsqueezed(result.shape, axisOr(0)), axisOr(0),
                             typing.shape ? sized(typing.shape).last() : Shape::many);
    break;
  case ResultRule::Join:
    result = tables.types[typeOfElements(event, state)];
    if (llvm::is_contained(typing.numbers, Typing::noNumber))
      result.shape = unsized(result.shape); // Along which dimension is not known.
    else if (const std::int64_t count = sized(typing.shape).last(); count != 1)
      result.shape = timesAlong(result.shape, axisOr(0), count);
    break;
  case ResultRule::Matmul:
    if (given.size() == 2)
      result = {promote(given[0], given[1]), multiplied(given[0].shape, given[1].shape)};
    break;
  case ResultRule::Project:
    if (given.size() > 1 && given[1].shape.hasRank(2)) {
      result.shape = resized(first.shape, -1, given[1].shape.sizes.front());
      result.shape.isArranged = false;
    }
    result.element = first.element;
    break;
  case ResultRule::LookUp:
    if (given.size() > 1) {
      result = {first.element, given[1].shape};
      result.shape.isSqueezed = result.shape.isArranged = false;
      result.shape.sizes.push_back(first.shape.last());
    }
    break;
  case ResultRule::Cast:
    result = first;
    if (given.size() > 1) // As another tensor.
      result.element = given[1].element;
    else if (typing.namesElement)
      result.element = typing.element;
    break;
  case ResultRule::OneHot:
    result = {ElementType::Int64, first.shape};
    result.shape.sizes.push_back(axis > 0 ? axis : Shape::unknown);
    break;
  case ResultRule::Loss:
  case ResultRule::SqueezedLoss:
  case ResultRule::ClassLoss:
    result.element = first.element;
    switch (reductionOf(event)) {
    case Reduction::Unknown:
      break;
    case Reduction::Mean:
    case Reduction::Sum:
      result.shape = Shape::of({});
      break;
    case Reduction::Kept:
      if (typing.rule == ResultRule::Loss && given.size() > 1)
        result.shape = broadcast(given[0].shape, given[1].shape);
      result.shape.isMany = keepsMany(given);
      break;
    }
    break;
  }
  if (typing.givesIndices)
    result.element = ElementType::Int64;
  return tables.types.of(result);
}

} // namespace gradtidy
