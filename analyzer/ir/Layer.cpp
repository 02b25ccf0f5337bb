#include "Layer.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

std::int64_t SizedLayer::sizeAfter(std::int64_t size, const WindowAxis &axis) const {
  const auto isKnown = [](std::int64_t number) { return number >= 0; };
  if (!llvm::all_of(std::initializer_list<std::int64_t>{size, axis.kernel, axis.stride,
                                                        axis.padding, axis.dilation, axis.added},
                    isKnown) ||
      axis.stride == 0)
    return Shape::unknown;
  const std::int64_t width = axis.dilation * (axis.kernel - 1);
  if (kind == Transposed)
    return (size - 1) * axis.stride - 2 * axis.padding + width + axis.added + 1;
  const std::int64_t last = size + 2 * axis.padding - width - 1;
  if (last < 0)
    return 0;
  std::int64_t steps = last / axis.stride;
  // One more, if it begins inside.
  if (isCeiled && last % axis.stride != 0 && (steps + 1) * axis.stride < size + axis.padding)
    ++steps;
  return steps + 1;
}

std::int64_t SizedLayer::featuresOf(const Shape &input) const {
  if (kind == Normalize && axes.size() == 1) // That of space may be missing.
    return input.hasRank(2) || input.hasRank(3) ? input.sizes[1] : Shape::unknown;
  return input.sizes.size() > axes.size() ? input.sizes[input.sizes.size() - 1 - axes.size()]
                                          : Shape::unknown;
}

std::int64_t SizedLayer::weights() const {
  std::vector<std::int64_t> sizes = {takes, features};
  for (const WindowAxis &axis : axes)
    sizes.push_back(axis.kernel);
  const std::optional<std::int64_t> count = isWeighted() ? countOf(sizes) : std::nullopt;
  return count && groups > 0 ? *count / groups : 0;
}

Shape SizedLayer::apply(const Shape &input) const {
  switch (kind) {
  case Other:
    return {};
  case Normalize:
  case Same:
    return input;
  case Flatten:
    return flattened(input, first, last);
  case Linear: {
    Shape result = input;
    if (result.sizes.empty())
      result.sizes.push_back(features);
    else
      result.sizes.back() = features;
    result.isArranged = false;
    return result;
  }
  case Embed: {
    Shape result = input;
    result.sizes.push_back(features);
    return result;
  }
  case Convolve:
  case Transposed:
  case Pool:
  case Adaptive:
    break;
  }
  Shape result = convolved(input, isWeighted() ? features : featuresOf(input), axes.size());
  for (size_t i = 1; i <= axes.size(); ++i) {
    const WindowAxis &axis = axes[axes.size() - i];
    const std::int64_t size =
        i <= input.sizes.size() ? input.sizes[input.sizes.size() - i] : Shape::unknown;
    const std::int64_t after = kind == Adaptive ? axis.kernel : sizeAfter(size, axis);
    result.sizes[result.sizes.size() - i] = after > 0 ? after : Shape::unknown;
  }
  return result;
}

Layer grown(const Layer &whole, const Layer &added) {
  Layer result = added.operation == Operation::Rearrange ? whole : added;
  std::vector<SizedLayer> steps = whole.steps;
  const bool isEmpty = steps.size() == 1 && steps.front().kind == SizedLayer::Same;
  if (isEmpty)
    steps.clear();
  else if (steps.empty())
    steps.emplace_back();
  if (added.steps.empty())
    steps.emplace_back();
  else
    llvm::append_range(steps, added.steps);
  result.steps = std::move(steps);
  return result;
}

} // namespace gradtidy
