#include "TensorType.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>

namespace gradtidy {

bool Shape::isSeveral() const {
  const auto isMore = [](std::int64_t size) { return size > 1; };
  return !llvm::is_contained(sizes, 0) && (isMany || llvm::any_of(sizes, isMore));
}

bool Shape::isOne() const {
  return !isOpen && llvm::all_of(sizes, [](std::int64_t size) { return size == 1; });
}

TypeId TensorTypes::of(const TensorType &type) {
  const auto [known, isNew] = ids.try_emplace(type, static_cast<TypeId>(types.size()));
  if (isNew)
    types.push_back(type);
  return known->second;
}

TypeId TensorTypes::join(TypeId a, TypeId b) {
  if (a == b || b == noType)
    return a;
  if (a == noType)
    return b;
  const TensorType left = types[a], right = types[b];
  TensorType both;
  if (left.element == right.element)
    both.element = left.element;
  const std::vector<std::int64_t> &some = left.shape.sizes, &others = right.shape.sizes;
  both.shape.isOpen = left.shape.isOpen || right.shape.isOpen || some.size() != others.size();
  both.shape.isMany = left.shape.isSeveral() && right.shape.isSeveral();
  both.shape.isSqueezed = left.shape.isSqueezed && right.shape.isSqueezed;
  both.shape.isArranged = left.shape.isArranged || right.shape.isArranged;
  const size_t common = std::min(some.size(), others.size());
  for (size_t i = common; i > 0; --i) {
    const std::int64_t size = some[some.size() - i];
    both.shape.sizes.push_back(size == others[others.size() - i] ? size : Shape::unknown);
  }
  return of(both);
}

unsigned sizeOf(ElementType element) {
  switch (element) {
  case ElementType::Unknown:
    return 0;
  case ElementType::Bool:
  case ElementType::UInt8:
  case ElementType::Int8:
    return 1;
  case ElementType::Int16:
  case ElementType::Float16:
  case ElementType::BFloat16:
    return 2;
  case ElementType::Int32:
  case ElementType::Float32:
    return 4;
  case ElementType::Int64:
  case ElementType::Float64:
    return 8;
  }
  return 0;
}

/// The size of the dimension \p axis from the end, at 1, if there is one that is known.
static std::optional<std::int64_t> sizeFromEnd(const Shape &shape, size_t axis) {
  if (axis > shape.sizes.size() || shape.sizes[shape.sizes.size() - axis] < 0)
    return std::nullopt;
  return shape.sizes[shape.sizes.size() - axis];
}

static std::optional<SizeClash>
firstClash(const Shape &a, const Shape &b,
           llvm::function_ref<bool(std::int64_t, std::int64_t)> fit) {
  for (unsigned axis = 1; axis <= std::min(a.sizes.size(), b.sizes.size()); ++axis) {
    const auto left = sizeFromEnd(a, axis), right = sizeFromEnd(b, axis);
    if (left && right && !fit(*left, *right))
      return SizeClash{*left, *right};
  }
  return std::nullopt;
}

std::optional<SizeClash> clashOf(const Shape &a, const Shape &b) {
  return firstClash(a, b, [](std::int64_t left, std::int64_t right) {
    return left == right || left == 1 || right == 1;
  });
}

std::optional<SizeClash> clashIn(const Shape &a, const Shape &b) {
  return firstClash(
      a, b, [](std::int64_t left, std::int64_t right) { return left == right || right == 1; });
}

std::optional<SizeClash> clashOfFactors(const Shape &a, const Shape &b) {
  const unsigned axis = b.hasRank(1) ? 1 : 2;
  const auto left = sizeFromEnd(a, 1), right = sizeFromEnd(b, axis);
  if (!left || !right || *left == *right)
    return std::nullopt;
  return SizeClash{*left, *right};
}

Shape broadcast(const Shape &a, const Shape &b) {
  Shape result;
  result.isOpen = a.isOpen || b.isOpen;
  result.isMany = a.isMany || b.isMany;
  result.isSqueezed = a.isSqueezed && b.isSqueezed;
  result.isArranged = a.isArranged || b.isArranged;
  // Nothing stands for a size that is not there, or may not be.
  const auto sizeAt = [](const Shape &shape, size_t fromEnd) -> std::optional<std::int64_t> {
    if (fromEnd < shape.sizes.size())
      return shape.sizes[shape.sizes.size() - 1 - fromEnd];
    return shape.isOpen ? std::optional(Shape::unknown) : std::nullopt;
  };
  for (size_t i = 0; i < std::max(a.sizes.size(), b.sizes.size()); ++i) {
    const std::optional<std::int64_t> left = sizeAt(a, i), right = sizeAt(b, i);
    std::int64_t size = Shape::unknown;
    if (!left || !right)
      size = left ? *left : *right;
    else if (*left == *right || *right == 1)
      size = *left;
    else if (*left == 1)
      size = *right;
    else if (*left < 0 && *right < 0)
      size = std::min(*left, *right); // If one is many, that is what comes of it.
    else if (*left < 0 || *right < 0)
      size = std::max(*left, *right); // One of them is 1, or they are the same.
    result.sizes.insert(result.sizes.begin(), size);
  }
  return result;
}

Shape expanded(const Shape &shape, const Shape &sizes) {
  Shape result = sizes;
  for (size_t axis = 1; axis <= result.sizes.size(); ++axis) {
    std::int64_t &size = result.sizes[result.sizes.size() - axis];
    if (size < 0)
      size = size == -1 && axis <= shape.sizes.size() ? shape.sizes[shape.sizes.size() - axis]
                                                      : Shape::unknown;
  }
  return result;
}

ElementType promote(const TensorType &a, const TensorType &b) {
  if (a.element == b.element)
    return a.element;
  if (a.element == ElementType::Unknown || b.element == ElementType::Unknown)
    return ElementType::Unknown;
  if (isFloating(a.element) != isFloating(b.element))
    return isFloating(a.element) ? a.element : b.element;
  if ((a.element == ElementType::Bool) != (b.element == ElementType::Bool))
    return a.element == ElementType::Bool ? b.element : a.element;
  if (a.shape.isOpen || b.shape.isOpen)
    return ElementType::Unknown;
  if (a.shape.sizes.empty() != b.shape.sizes.empty())
    return a.shape.sizes.empty() ? b.element : a.element;
  if (sizeOf(a.element) == sizeOf(b.element))
    return ElementType::Unknown;
  return sizeOf(a.element) > sizeOf(b.element) ? a.element : b.element;
}

/// Where the dimension \p axis of a shape is in its sizes, if that is known.
static std::optional<size_t> indexOf(const Shape &shape, std::int64_t axis) {
  const auto count = static_cast<std::int64_t>(shape.sizes.size());
  if (axis < 0 && axis >= -count)
    return count + axis;
  if (!shape.isOpen && axis >= 0 && axis < count)
    return axis;
  return std::nullopt;
}

/// What is left where it is not known which dimension changes.
static Shape anyOf(const Shape &shape) {
  return {.isOpen = true, .isMany = shape.isMany, .sizes = {}};
}

Shape reduced(const Shape &shape, std::int64_t axis, bool keeps) {
  const std::optional<size_t> index = indexOf(shape, axis);
  if (!index)
    return {};
  Shape result = shape;
  result.isMany = result.isSqueezed = false;
  if (keeps) {
    result.isArranged |= *index + 1 == result.sizes.size();
    result.sizes[*index] = 1;
  } else {
    result.sizes.erase(result.sizes.begin() + *index);
  }
  return result;
}

Shape resized(const Shape &shape, std::int64_t axis, std::int64_t size) {
  const std::optional<size_t> index = indexOf(shape, axis);
  if (!index) {
    Shape result;
    result.isOpen = shape.isOpen;
    result.sizes.assign(shape.isOpen ? 0 : shape.sizes.size(), Shape::unknown);
    return result;
  }
  Shape result = shape;
  result.isMany = result.isSqueezed = false;
  result.sizes[*index] = size;
  return result;
}

Shape unsqueezed(const Shape &shape, std::int64_t axis) {
  const auto count = static_cast<std::int64_t>(shape.sizes.size());
  const bool isFromEnd = axis < 0 && axis >= -count - 1;
  if (!isFromEnd && (axis < 0 || shape.isOpen || axis > count)) {
    // A leading dimension leaves what is at the end.
    return axis == 0 && !shape.isSqueezed ? shape : anyOf(shape);
  }
  Shape result = shape;
  result.isSqueezed = false;
  result.isArranged |= (isFromEnd ? count + 1 + axis : axis) == count;
  result.sizes.insert(result.sizes.begin() + (isFromEnd ? count + 1 + axis : axis), 1);
  return result;
}

Shape squeezed(const Shape &shape, std::int64_t axis) {
  const std::optional<size_t> index = indexOf(shape, axis);
  if (!index || shape.sizes[*index] == Shape::unknown)
    return anyOf(shape);
  Shape result = shape;
  result.isSqueezed = shape.isOpen && shape.sizes[*index] == 1 && *index + 1 == shape.sizes.size();
  if (result.sizes[*index] == 1)
    result.sizes.erase(result.sizes.begin() + *index);
  return result;
}

Shape squeezed(const Shape &shape) {
  Shape result;
  result.isOpen = shape.isOpen;
  result.isMany = shape.isMany;
  for (const std::int64_t size : llvm::reverse(shape.sizes)) {
    if (size == Shape::unknown) { // It may be gone, too.
      result.isOpen = true;
      break;
    }
    if (size != 1)
      result.sizes.insert(result.sizes.begin(), size);
  }
  result.isSqueezed = result.isOpen && (shape.last() == 1 || shape.sizes.empty());
  return result;
}

Shape transposed(const Shape &shape, std::int64_t first, std::int64_t second) {
  const std::optional<size_t> one = indexOf(shape, first), other = indexOf(shape, second);
  if (!one || !other)
    return anyOf(shape);
  Shape result = shape;
  result.isSqueezed = false;
  std::swap(result.sizes[*one], result.sizes[*other]);
  return result;
}

Shape permuted(const Shape &shape, llvm::ArrayRef<std::int64_t> order) {
  Shape result;
  result.isOpen = false;
  result.isMany = shape.isMany;
  for (const std::int64_t axis : order) {
    const std::optional<size_t> index =
        shape.hasRank(order.size()) ? indexOf(shape, axis) : std::nullopt;
    result.sizes.push_back(index ? shape.sizes[*index] : Shape::unknown);
  }
  return result;
}

Shape flattened(const Shape &shape, std::int64_t first, std::int64_t last) {
  if (first == 0 && last == -1)
    return {.isOpen = false, .isMany = shape.isMany, .sizes = {Shape::unknown}};
  const std::optional<size_t> from = indexOf(shape, first), to = indexOf(shape, last);
  if (shape.isOpen || !from || !to || *from > *to) {
    // With dimensions of its own for the samples.
    return first == 1 && last == -1 ? Shape{.isOpen = false,
                                            .isMany = shape.isMany,
                                            .sizes = {Shape::unknown, Shape::unknown}}
                                    : anyOf(shape);
  }
  Shape result = shape;
  std::int64_t size = 1;
  for (size_t i = *from; i <= *to; ++i)
    size = size < 0 || shape.sizes[i] < 0 ? std::min(size, shape.sizes[i]) : size * shape.sizes[i];
  result.sizes.erase(result.sizes.begin() + *from, result.sizes.begin() + *to + 1);
  result.sizes.insert(result.sizes.begin() + *from, size);
  return result;
}

Shape convolved(const Shape &shape, std::int64_t features, unsigned axes) {
  Shape result;
  if (!shape.isOpen && shape.sizes.size() > axes) {
    result.isOpen = false;
    result.sizes.assign(shape.sizes.begin(), shape.sizes.end() - axes - 1);
  }
  result.sizes.push_back(features);
  result.sizes.insert(result.sizes.end(), axes, Shape::unknown);
  return result;
}

Shape multiplied(const Shape &a, const Shape &b) {
  if (a.isOpen || b.isOpen || a.sizes.empty() || b.sizes.empty())
    return {};
  if (a.sizes.size() > 2 || b.sizes.size() > 2)
    return {};
  Shape result;
  result.isOpen = false;
  if (a.sizes.size() == 2)
    result.sizes.push_back(a.sizes.front());
  if (b.sizes.size() == 2)
    result.sizes.push_back(b.sizes.back());
  return result;
}

std::string spell(const Shape &shape) {
  std::string text = shape.isOpen ? "(…" : "(";
  bool isFirst = !shape.isOpen;
  for (const std::int64_t size : shape.sizes) {
    text += isFirst ? "" : ", ";
    text += size < 0 ? "N" : std::to_string(size);
    isFirst = false;
  }
  return text + ")";
}

std::optional<std::int64_t> countOf(llvm::ArrayRef<std::int64_t> sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes)
    if (size < 0 || llvm::MulOverflow(count, size, count))
      return std::nullopt;
  return count;
}

} // namespace gradtidy
