#include "LayerShapes.h"

#include "analyzer/model/Model.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

namespace {

/// \p expr without what changes neither value nor type.
const Node *peel(const Node *expr) {
  for (;;) {
    const Node *inner = withoutParentheses(expr);
    const bool isCopy = asConstruction(inner) && inner->arguments.size() == 1 && inner->symbol &&
                        inner->symbol->isCopying;
    const bool isSame = inner->kind == NodeKind::Other && inner->children.size() == 1 &&
                        inner->children.front()->range == inner->range;
    if ((inner->kind == NodeKind::FunctionalCast && !inner->children.empty()) || isSame)
      inner = inner->children.front();
    else if (isCopy)
      inner = inner->arguments.front();
    if (inner == expr)
      return expr;
    expr = inner;
  }
}

/// A number for each dimension of space, or one for all.
using Extents = llvm::SmallVector<std::int64_t, 3>;

constexpr std::int64_t largest = 1 << 20; ///< A product of three fits into 64 bits.

class ArgumentReader {
public:
  ArgumentReader(const Constants &constants, const Model &model)
      : constants(constants), model(model) {}

  llvm::SmallVector<Extents, 4> numbers; ///< What is given before all options.
  std::optional<Extents> kernel, stride, padding, dilation, added;
  std::int64_t groups = 1;
  bool isCeiled = false;
  bool isKnown = true; ///< No option changes the shape in another way.

  void read(llvm::ArrayRef<const Node *> arguments) {
    for (unsigned depth = 0; depth < 8 && !arguments.empty(); ++depth) {
      const Node *first = peel(arguments.front());
      if (extentsIn(first)) {
        for (const Node *argument : arguments)
          if (argument->kind != NodeKind::DefaultArgument)
            numbers.push_back(extentsIn(argument).value_or(Extents()));
        return;
      }
      while (first->kind == NodeKind::MemberCall) { // `LinearOptions(…).bias(…)`
        set(*first);
        first = peel(first->object);
      }
      if (!asConstruction(first)) {
        isKnown &= first->kind == NodeKind::List || !first->isExpression;
        return;
      }
      arguments = first->arguments;
    }
  }

  /// The only number at \p index, or Shape::unknown.
  std::int64_t numberAt(size_t index) const {
    return index < numbers.size() && numbers[index].size() == 1 ? numbers[index].front()
                                                                : Shape::unknown;
  }

private:
  std::optional<Extents> extentsIn(const Node *expr, unsigned depth = 0) const {
    expr = peel(expr);
    if (depth > 4)
      return std::nullopt;
    if (isArithmetic(*expr)) {
      const std::int64_t number = constants.of(expr).value_or(Shape::unknown);
      return Extents{number <= largest ? number : Shape::unknown};
    }
    if (asConstruction(expr)) {
      const llvm::ArrayRef<const Node *> parts = withoutDefaults(expr->arguments);
      return parts.size() == 1 ? extentsIn(parts.front(), depth + 1) : std::nullopt;
    }
    if (expr->kind != NodeKind::List || expr->children.empty() || expr->children.size() > 3)
      return std::nullopt;
    Extents extents;
    for (const Node *child : expr->children) {
      const std::optional<Extents> part = extentsIn(child, depth + 1);
      if (!part || part->size() != 1)
        return std::nullopt;
      extents.push_back(part->front());
    }
    return extents;
  }

  void set(const Node &setter) {
    if (setter.arguments.size() != 1)
      return;
    const Extents given = extentsIn(setter.arguments.front()).value_or(Extents{Shape::unknown});
    switch (model.trait(setter.calledName())) {
    case Trait::KernelOption:
      kernel = given;
      break;
    case Trait::StrideOption:
      stride = given;
      break;
    case Trait::PaddingOption:
      padding = given;
      break;
    case Trait::DilationOption:
      dilation = given;
      break;
    case Trait::AddedSizeOption:
      added = given;
      break;
    case Trait::CeilOption:
      isCeiled = given.front() != 0;
      isKnown &= given.front() >= 0;
      break;
    case Trait::GroupOption:
      groups = given.front();
      break;
    case Trait::ShapelessOption:
    case Trait::ModeOption:
    case Trait::StateOption:
      break;
    default:
      isKnown = false;
    }
  }

  const Constants &constants;
  const Model &model;
};

/// The number for \p axis of those that are given.
std::int64_t at(const std::optional<Extents> &extents, size_t axis, std::int64_t otherwise) {
  if (!extents)
    return otherwise;
  if (extents->size() == 1)
    return extents->front();
  return axis < extents->size() ? (*extents)[axis] : Shape::unknown;
}

void setAxes(SizedLayer &layer, const ArgumentReader &read, unsigned axes,
             const std::optional<Extents> &kernel, bool stridesByKernel) {
  for (unsigned i = 0; i < axes; ++i) {
    WindowAxis axis;
    axis.kernel = at(kernel, i, Shape::unknown);
    axis.stride = at(read.stride, i, stridesByKernel ? axis.kernel : 1);
    axis.padding = at(read.padding, i, 0);
    axis.dilation = at(read.dilation, i, 1);
    axis.added = at(read.added, i, 0);
    layer.axes.push_back(axis);
  }
  layer.isCeiled = read.isCeiled;
}

/// Of a convolution, which is made with the features it takes and gives, and the window.
void readWeighted(SizedLayer &layer, ArgumentReader &read, unsigned axes) {
  layer.keepsInput = true;
  layer.takes = read.numberAt(0);
  layer.features = read.numberAt(1);
  layer.groups = read.groups;
  if (read.numbers.size() > 2 && !read.kernel)
    read.kernel = read.numbers[2];
  setAxes(layer, read, axes, read.kernel, /*stridesByKernel=*/false);
}

/// Of pooling, which is made with the window, and perhaps how it moves.
void readPooling(SizedLayer &layer, ArgumentReader &read, unsigned axes) {
  std::optional<Extents> *const places[] = {&read.kernel, &read.stride, &read.padding};
  for (auto [place, given] : llvm::zip(places, read.numbers))
    if (!*place && !given.empty())
      *place = given;
  // The rest are dilations, or say how the last window stands.
  read.isKnown &= read.numbers.size() <= std::size(places);
  setAxes(layer, read, axes, read.kernel, /*stridesByKernel=*/true);
}

} // namespace

SizedLayer sizedLayerOf(ResultRule rule, llvm::ArrayRef<const Node *> arguments,
                        const Constants &constants, const Model &model) {
  SizedLayer layer;
  ArgumentReader read(constants, model);
  switch (rule) {
  case ResultRule::Same:
    layer.kind = SizedLayer::Same;
    return layer;
  case ResultRule::Linear:
  case ResultRule::Embed:
    read.read(arguments);
    layer.kind = rule == ResultRule::Linear ? SizedLayer::Linear : SizedLayer::Embed;
    layer.features = read.numberAt(1);
    layer.keepsInput = rule == ResultRule::Linear;
    layer.takes = read.numberAt(0);
    return layer;
  case ResultRule::Flatten:
    layer.kind = arguments.empty() || arguments.front()->kind == NodeKind::DefaultArgument
                     ? SizedLayer::Flatten
                     : SizedLayer::Other;
    return layer;
  default:
    break;
  }
  const unsigned axes = spatialAxesOf(rule);
  if (!axes)
    return layer;
  read.read(arguments);
  if (rule >= ResultRule::Normalize1) {
    layer.kind = SizedLayer::Normalize;
    layer.keepsInput = true;
    layer.takes = read.numberAt(0);
    layer.axes.resize(axes);
  } else if (rule <= ResultRule::Transposed3) {
    layer.kind = rule <= ResultRule::Weighted3 ? SizedLayer::Convolve : SizedLayer::Transposed;
    readWeighted(layer, read, axes);
  } else if (rule <= ResultRule::Pool3) {
    layer.kind = SizedLayer::Pool;
    readPooling(layer, read, axes);
  } else {
    layer.kind = SizedLayer::Adaptive;
    setAxes(layer, read, axes,
            read.numbers.empty() ? std::nullopt : std::optional(read.numbers.front()),
            /*stridesByKernel=*/false);
  }
  if (!read.isKnown)
    llvm::fill(layer.axes, WindowAxis{.kernel = Shape::unknown});
  return layer;
}

std::vector<SizedLayer> joined(llvm::ArrayRef<SizedLayer> some, llvm::ArrayRef<SizedLayer> others) {
  std::vector<SizedLayer> both;
  if (some.size() == others.size() && some.size() == 1) {
    SizedLayer layer = some.front();
    const SizedLayer &other = others.front();
    if (layer.kind != other.kind || layer.axes.size() != other.axes.size())
      return {SizedLayer()};
    if (layer.takes != other.takes)
      layer.takes = Shape::unknown;
    if (layer.features != other.features)
      layer.features = Shape::unknown;
    if (!(layer.axes == other.axes) || layer.isCeiled != other.isCeiled)
      llvm::fill(layer.axes, WindowAxis{.kernel = Shape::unknown});
    if (layer.first != other.first || layer.last != other.last)
      return {SizedLayer()};
    return {layer};
  }
  while (!some.empty() && !others.empty() && some.back() == others.back()) {
    both.push_back(some.back());
    some = some.drop_back();
    others = others.drop_back();
  }
  if (!some.empty() || !others.empty())
    both.emplace_back();
  std::reverse(both.begin(), both.end());
  return both;
}

} // namespace gradtidy
