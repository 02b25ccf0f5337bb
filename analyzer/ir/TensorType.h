// What tensors are: the type of their elements and their shape, as far as the program says.
//
// A shape is known from its end: broadcasting, layers and most arguments count from there, and a
// layer that makes 10 features of each sample does so for any number of dimensions before them.
// Everything else is unknown, and two that differ join to what they have in common.
#pragma once

#include "analyzer/model/Role.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

struct Shape {
  static constexpr std::int64_t unknown = -1; ///< A size that is not known.
  /// The number of elements of a list that the program makes, such as one for each sample: nobody
  /// knows it, but it is as good as never 1.
  static constexpr std::int64_t many = -2;

  bool isOpen = true;  ///< There may be dimensions before the first of `sizes`.
  bool isMany = false; ///< There is an element for each sample: a loss that is not reduced.
  std::vector<std::int64_t> sizes;
  bool isSqueezed = false; ///< It is open, and squeeze() has left no size of 1 at its end.
  bool isArranged = false; ///< The program has put a size of 1 at its end, to meet other shapes.

  static Shape of(llvm::ArrayRef<std::int64_t> sizes) {
    return {.isOpen = false, .sizes = sizes.vec()};
  }
  bool hasRank(unsigned rank) const { return !isOpen && sizes.size() == rank; }
  /// The last size, or unknown.
  std::int64_t last() const { return sizes.empty() ? unknown : sizes.back(); }
  /// Whether there are certainly several elements, or one for each sample.
  bool isSeveral() const;
  /// Whether there is certainly one element.
  bool isOne() const;
  auto operator<=>(const Shape &) const = default;
};

struct TensorType {
  ElementType element = ElementType::Unknown;
  Shape shape;
  auto operator<=>(const TensorType &) const = default;
};

/// An interned type; 0 is one of which nothing is known.
using TypeId = std::uint32_t;
inline constexpr TypeId unknownType = 0;
/// That of the tensors in a list that has none yet, and of those that are not defined.
inline constexpr TypeId noType = 1;

/// Owns the types of one translation unit.
class TensorTypes {
public:
  TensorTypes() : types(2) { ids.emplace(TensorType(), unknownType); }
  TypeId of(const TensorType &type);
  const TensorType &operator[](TypeId type) const { return types[type]; }
  TypeId join(TypeId a, TypeId b);

private:
  std::vector<TensorType> types;
  std::map<TensorType, TypeId> ids;
};

constexpr bool isFloating(ElementType element) {
  return element >= ElementType::Float16 && element <= ElementType::Float64;
}
constexpr bool isIntegral(ElementType element) { // Flags are, too.
  return element >= ElementType::Bool && element <= ElementType::Int64;
}

/// How many bytes an element has; 0 if that is not known.
unsigned sizeOf(ElementType element);

/// Two sizes that do not go together.
struct SizeClash {
  std::int64_t left = Shape::unknown, right = Shape::unknown;
};
/// Of two tensors of which each pair of elements meets; nothing if none is known.
std::optional<SizeClash> clashOf(const Shape &a, const Shape &b);
/// The same, where \p b has to fit into the shape of \p a as that is.
std::optional<SizeClash> clashIn(const Shape &a, const Shape &b);
/// Of the factors of a product of matrices.
std::optional<SizeClash> clashOfFactors(const Shape &a, const Shape &b);

/// What an operation on each pair of elements gives.
Shape broadcast(const Shape &a, const Shape &b);
/// The elements that arithmetic gives, where tensors without dimensions count less.
ElementType promote(const TensorType &a, const TensorType &b);

/// \p shape repeated to \p sizes, where sizes below 0 are its own.
Shape expanded(const Shape &shape, const Shape &sizes);

/// Without the dimension \p axis, or with a size of 1 in its place. Axes below 0 count from the
/// end.
Shape reduced(const Shape &shape, std::int64_t axis, bool keeps);
Shape resized(const Shape &shape, std::int64_t axis, std::int64_t size);
Shape unsqueezed(const Shape &shape, std::int64_t axis);
Shape squeezed(const Shape &shape, std::int64_t axis);
/// Without any dimension of size 1.
Shape squeezed(const Shape &shape);
Shape transposed(const Shape &shape, std::int64_t first, std::int64_t second);
Shape permuted(const Shape &shape, llvm::ArrayRef<std::int64_t> order);
Shape flattened(const Shape &shape, std::int64_t first, std::int64_t last);
/// What a convolution makes of \p shape: \p features before \p axes dimensions of space.
Shape convolved(const Shape &shape, std::int64_t features, unsigned axes);
Shape multiplied(const Shape &a, const Shape &b);

/// "(N, 1)", "(…, 10)"
std::string spell(const Shape &shape);

/// The number of elements, if all sizes are known.
std::optional<std::int64_t> countOf(llvm::ArrayRef<std::int64_t> sizes);

} // namespace gradtidy
