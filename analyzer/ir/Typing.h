// What a call says of the elements and the shape of its result, as far as it is written there.
#pragma once

#include "TensorType.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace gradtidy {

/// Whether a loss gives one number, or one for each sample.
enum class Reduction : unsigned char { Unknown, Mean, Sum, Kept };

/// Whether a loss of all elements comes of it.
constexpr bool givesOne(Reduction reduction) {
  return reduction == Reduction::Mean || reduction == Reduction::Sum;
}

/// What one of several indices makes of a dimension: `x.index({Slice(), 0, None, "...", mask})`.
enum class Pick : unsigned char {
  All,  ///< It stays.
  Some, ///< A part of it stays.
  One,  ///< It goes: one of its entries stays.
  New,  ///< There is one more, of size 1.
  Rest, ///< All stay that no other index is for.
  Other ///< Nobody knows: a tensor selects.
};

struct Typing {
  ResultRule rule = ResultRule::None;
  ElementType element = ElementType::Unknown; ///< That is named, or those of listed values.
  bool namesElement = false;                  ///< It is, even if nobody knows which one.
  ElementType number = ElementType::Unknown;  ///< Of a number among the operands: float or integer.
  /// Listed sizes, axes, what listed values have, or the number of listed tensors.
  std::optional<Shape> shape;
  llvm::SmallVector<std::int64_t, 2> numbers; ///< Integers among the arguments, one by one.
  llvm::SmallVector<Pick, 4> picks;           ///< What a list of indices does.
  bool keepsAxes = false;                     ///< A reduction leaves sizes of 1.
  bool isRounded = false;                     ///< A quotient that a word says how to round.
  bool givesIndices = false; ///< The result are the indices of what the rule is about.
  Reduction reduction = Reduction::Mean;
  ElementType memory = ElementType::Unknown; ///< What lies where the pointer leads.
  bool holdsAddresses = false; ///< Not elements: pointers, or containers that keep them elsewhere.
  /// What cannot be, of memory: what is named, or meant where nothing is named.
  bool isMisread = false;
  bool isMeasured = false;  ///< A constant that names a type of elements is asked for its own size.
  bool isScrambled = false; ///< Pixels whose channels lie side by side, in a shape that says no.

  static constexpr std::int64_t noNumber = INT64_MIN; ///< One that is not known.
};

/// Whether elements of one type may lie in memory that C++ takes for another. Bytes may be
/// anything, and what has no type of its own in C++ lies in integers of its size.
inline bool mayHold(ElementType memory, ElementType element) {
  if (memory == ElementType::Unknown || element == ElementType::Unknown || sizeOf(memory) == 1)
    return true;
  if (sizeOf(memory) != sizeOf(element))
    return false;
  return isFloating(memory) == isFloating(element) || sizeOf(memory) == 2;
}

} // namespace gradtidy
