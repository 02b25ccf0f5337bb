// Divisor: division of many numbers by the same one.
#pragma once

#include "../../core/Platform.h"

#include <cstdint>

namespace gradtidy::runtime {

/// Divides numbers that are not negative by a size.
template <class Index> class Divisor {
public:
  explicit Divisor(int64_t size = 1) : size(size) {}
  GRADTIDY_HOST_DEVICE Index get() const { return size; }
  GRADTIDY_HOST_DEVICE Index quotientOf(Index x) const { return x / size; }

private:
  Index size;
};

/// By a multiplication, which takes a fraction of the time of a division, most of all on devices
/// (T. Granlund, P. Montgomery: Division by invariant integers using multiplication, 1994).
template <> class Divisor<int32_t> {
public:
  /// 0 is a size, too, although nothing is divided by it.
  explicit Divisor(int64_t size = 1) : size(static_cast<int32_t>(size)) {
    while (int64_t{1} << shift < size)
      ++shift;
    if (size > 0)
      factor = static_cast<uint32_t>((((int64_t{1} << shift) - size) << 32) / size + 1);
  }
  GRADTIDY_HOST_DEVICE int32_t get() const { return size; }
  GRADTIDY_HOST_DEVICE int32_t quotientOf(int32_t x) const {
    const auto number = static_cast<uint32_t>(x);
    const auto high = static_cast<uint32_t>(static_cast<uint64_t>(number) * factor >> 32);
    return static_cast<int32_t>((high + number) >> shift);
  }

private:
  int32_t size;
  uint32_t factor = 0;
  int32_t shift = 0;
};

/// The position in a dimension of the divisor's size; `i` becomes that in the dimensions outside
/// it.
template <class Index> GRADTIDY_HOST_DEVICE Index splitOff(Index &i, const Divisor<Index> &size) {
  const Index outside = size.quotientOf(i), position = i - outside * size.get();
  i = outside;
  return position;
}

} // namespace gradtidy::runtime
