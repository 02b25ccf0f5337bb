#include "Mismatches.h"

#include "Types.h"

#include "analyzer/ir/Typing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace gradtidy {
namespace {

bool differ(std::int64_t size, std::int64_t other) {
  return size >= 0 && other >= 0 && size != other;
}

class Matcher {
public:
  Matcher(const Event &event, const State &state)
      : event(event), state(state), tensors(tensorsOf(event)) {}

  std::optional<Mismatch> find(llvm::ArrayRef<SizedLayer> steps) const {
    const ResultRule rule = event.typing ? event.typing->rule : ResultRule::None;
    if (rule == ResultRule::Join)
      return ofJoin();
    if (rule == ResultRule::Stack)
      return ofListed(std::nullopt);
    if (tensors.empty())
      return std::nullopt;
    if (event.operation == Operation::ReadScalar)
      return ofScalar();
    if (!steps.empty())
      return ofLayers(steps);
    switch (rule) {
    case ResultRule::Update:
      return ofPairs(clashIn);
    case ResultRule::Elementwise:
    case ResultRule::Filled:
    case ResultRule::Choose:
    case ResultRule::Real:
    case ResultRule::Compare:
    case ResultRule::Loss:
      return ofPairs(clashOf);
    case ResultRule::Matmul:
      return ofPairs(clashOfFactors);
    case ResultRule::ClassLoss:
      return ofClasses();
    case ResultRule::Reshape:
      return ofReshape();
    case ResultRule::Permute:
      return ofOrder();
    case ResultRule::Gather:
      return ofGather();
    default:
      return ofAxes(rule);
    }
  }

private:
  Shape shapeOf(const Operand *tensor) const { return state.typeOf(*tensor).shape; }

  std::optional<Mismatch> ofPairs(std::optional<SizeClash> (*clash)(const Shape &,
                                                                    const Shape &)) const {
    for (const Operand *other : llvm::drop_begin(tensors))
      if (const auto sizes = clash(shapeOf(tensors.front()), shapeOf(other)))
        return Mismatch{Mismatch::Sizes, tensors.front(), other, sizes->left, sizes->right};
    return std::nullopt;
  }

  std::optional<Mismatch> ofLayers(llvm::ArrayRef<SizedLayer> steps) const {
    Shape shape = shapeOf(tensors.front());
    for (const SizedLayer &step : steps) {
      const bool isInside = &step != steps.begin();
      const std::int64_t given = step.featuresOf(shape);
      if (step.asksForFeatures() && differ(given, step.takes))
        return Mismatch{Mismatch::Features, tensors.front(), nullptr, given, step.takes, isInside};
      for (size_t i = 0; i < std::min(step.axes.size(), shape.sizes.size()); ++i) {
        const std::int64_t size = shape.sizes[shape.sizes.size() - 1 - i];
        const WindowAxis &axis = step.axes[step.axes.size() - 1 - i];
        if (step.kind != SizedLayer::Adaptive && step.sizeAfter(size, axis) == 0)
          return Mismatch{Mismatch::Window, tensors.front(), nullptr, size, axis.kernel, isInside};
      }
      shape = step.apply(shape);
    }
    return std::nullopt;
  }

  std::optional<Mismatch> ofClasses() const {
    if (tensors.size() < 2)
      return std::nullopt;
    const Shape scores = shapeOf(tensors[0]), targets = shapeOf(tensors[1]);
    if (!scores.hasRank(2) || targets.isOpen)
      return std::nullopt;
    const size_t rank = targets.sizes.size();
    const bool fits = (rank == 1 || (rank == 2 && !differ(scores.sizes[1], targets.sizes[1]))) &&
                      !differ(scores.sizes[0], targets.sizes[0]);
    return fits ? std::nullopt : std::optional(Mismatch{Mismatch::Classes, tensors[0], tensors[1]});
  }

  std::optional<Mismatch> ofReshape() const {
    const Shape shape = shapeOf(tensors.front());
    const std::optional<Shape> &listed = event.typing->shape;
    if (shape.isOpen || shape.sizes.empty() || !listed || listed->isOpen)
      return std::nullopt;
    std::vector<std::int64_t> named = listed->sizes;
    const bool findsOne = llvm::count(named, -1) == 1;
    if (shape.sizes.front() < 0 && named.front() == -1)
      return ofRows(llvm::ArrayRef(shape.sizes).drop_front(), llvm::ArrayRef(named).drop_front());
    const std::optional<std::int64_t> count = countOf(shape.sizes);
    if (!count || *count == 0)
      return std::nullopt;
    llvm::erase(named, -1);
    const std::optional<std::int64_t> wanted = countOf(named);
    if (!wanted || *wanted == 0 || (findsOne ? *count % *wanted == 0 : *count == *wanted))
      return std::nullopt;
    return Mismatch{Mismatch::Elements, tensors.front(), nullptr, *count, *wanted};
  }

  /// What nobody knows how many there are of, with sizes of their own, are put into rows.
  std::optional<Mismatch> ofRows(llvm::ArrayRef<std::int64_t> sizes,
                                 llvm::ArrayRef<std::int64_t> wanted) const {
    const std::optional<std::int64_t> each = countOf(sizes), row = countOf(wanted);
    if (!each || !row || *each == 0 || *row == 0 || *each % *row == 0 || *row % *each == 0)
      return std::nullopt;
    return Mismatch{Mismatch::Rows, tensors.front(), nullptr, *each, *row};
  }

  std::optional<Mismatch> ofOrder() const {
    const Shape shape = shapeOf(tensors.front());
    const std::optional<Shape> &listed = event.typing->shape;
    if (shape.isOpen || !listed || listed->isOpen || shape.sizes.size() == listed->sizes.size())
      return std::nullopt;
    return Mismatch{Mismatch::Order, tensors.front(), nullptr,
                    static_cast<std::int64_t>(shape.sizes.size()),
                    static_cast<std::int64_t>(listed->sizes.size())};
  }

  std::optional<Mismatch> ofGather() const {
    if (tensors.size() != 2)
      return std::nullopt;
    const Shape source = shapeOf(tensors[0]), index = shapeOf(tensors[1]);
    // A number is as good as a list of one.
    const auto rankOf = [](const Shape &shape) { return std::max<size_t>(shape.sizes.size(), 1); };
    if (source.isOpen || index.isOpen || rankOf(source) == rankOf(index))
      return std::nullopt;
    return Mismatch{Mismatch::Ranks, tensors[0], tensors[1]};
  }

  /// The dimensions that the event names.
  llvm::SmallVector<std::int64_t, 2> axesIn(ResultRule rule) const {
    llvm::SmallVector<std::int64_t, 2> axes;
    switch (rule) {
    case ResultRule::Sum:
    case ResultRule::Reduce:
    case ResultRule::IndexReduce:
      if (event.typing->shape && !event.typing->shape->isOpen)
        axes.assign(event.typing->shape->sizes.begin(), event.typing->shape->sizes.end());
      [[fallthrough]];
    case ResultRule::Unsqueeze:
    case ResultRule::Squeeze:
    case ResultRule::Transpose:
      axes.append(event.typing->numbers);
      return axes;
    case ResultRule::Select:
      axes.push_back(event.typing->numbers.size() > 1 ? event.typing->numbers.front() : 0);
      return axes;
    default:
      return axes;
    }
  }

  std::optional<Mismatch> ofAxes(ResultRule rule) const {
    const Shape shape = shapeOf(tensors.front());
    if (shape.isOpen || tensors.size() > 1)
      return std::nullopt;
    auto rank = static_cast<std::int64_t>(shape.sizes.size());
    if (rule == ResultRule::Unsqueeze)
      ++rank;
    else if (rule != ResultRule::Select) // Numbers have a dimension to sum over.
      rank = std::max<std::int64_t>(rank, 1);
    for (const std::int64_t axis : axesIn(rule))
      if (axis != Typing::noNumber && (axis >= rank || axis < -rank))
        return Mismatch{Mismatch::Axis, tensors.front(), nullptr, axis};
    return std::nullopt;
  }

  std::optional<Mismatch> ofScalar() const {
    const auto isSeveral = [](std::int64_t size) { return size > 1; };
    if (llvm::none_of(shapeOf(tensors.front()).sizes, isSeveral))
      return std::nullopt;
    return Mismatch{Mismatch::Number, tensors.front()};
  }

  std::optional<Mismatch> ofJoin() const {
    for (const Operand &list : event.operands)
      if (list.path && list.isTensor && list.role != TypeRole::Tensor &&
          state.shapeOfElements(list).hasRank(0))
        return Mismatch{Mismatch::Dimensions, &list};
    const auto &numbers = event.typing->numbers;
    if (llvm::is_contained(numbers, Typing::noNumber))
      return std::nullopt; // Along which dimension is not known.
    return ofListed(numbers.empty() ? 0 : numbers.front());
  }

  /// The tensors of the list in braces that is at \p path, or that what is there was made of.
  llvm::ArrayRef<Operand> listedIn(PathId path, unsigned depth = 0) const {
    const auto isTensor = [](const Operand &operand) { return operand.role == TypeRole::Tensor; };
    for (const Block &block : event.function->blocks)
      for (const Event &made : block.events) {
        if (!made.result || made.result != path || made.operands.empty())
          continue;
        if (made.site->kind == ir::NodeKind::List && llvm::all_of(made.operands, isTensor))
          return made.operands;
        if (made.kind == EventKind::Construct && made.operands.size() == 1 && depth < 3)
          return listedIn(made.operands.front().path, depth + 1);
      }
    return {};
  }

  /// Two of the tensors that are listed, where they are, for a list that has to be of one shape,
  /// but for the dimension \p joined.
  std::optional<Mismatch> ofListed(std::optional<std::int64_t> joined) const {
    llvm::ArrayRef<Operand> listed;
    if (!event.operands.empty())
      listed = listedIn(event.operands.front().path);
    for (const Operand &other : llvm::drop_begin(listed, listed.empty() ? 0 : 1)) {
      const Shape first = shapeOf(&listed.front()), shape = shapeOf(&other);
      if (first.isOpen || shape.isOpen || first.sizes.size() != shape.sizes.size())
        continue;
      const auto rank = static_cast<std::int64_t>(shape.sizes.size());
      for (std::int64_t axis = 0; axis < rank; ++axis)
        if (axis != joined && axis - rank != joined && differ(first.sizes[axis], shape.sizes[axis]))
          return Mismatch{Mismatch::Sizes, &listed.front(), &other, first.sizes[axis],
                          shape.sizes[axis]};
    }
    return std::nullopt;
  }

  const Event &event;
  const State &state;
  const llvm::SmallVector<const Operand *, 4> tensors;
};

} // namespace

std::optional<Mismatch> mismatchOf(const Event &event, const State &state,
                                   llvm::ArrayRef<SizedLayer> steps) {
  return Matcher(event, state).find(steps);
}

} // namespace gradtidy
