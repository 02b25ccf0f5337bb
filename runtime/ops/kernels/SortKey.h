// Numbers of all types as integers in the same order, so that a device needs one way to sort.
#pragma once

#include "../../core/Platform.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace gradtidy::runtime {

/// A key that is larger, as an unsigned integer, where the number is: NaN is the largest, and 0 and
/// -0 are the same. `descending` turns the order around.
struct SortKey {
  bool descending;

  template <class T> GRADTIDY_HOST_DEVICE int64_t operator()(T x) const {
    uint64_t key = ascending(x);
    return static_cast<int64_t>(descending ? ~key : key);
  }

private:
  static constexpr uint64_t sign = uint64_t{1} << 63;

  template <class T> GRADTIDY_HOST_DEVICE static uint64_t ascending(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      if (x != x)
        return ~uint64_t{0};
      auto bits = std::bit_cast<uint64_t>(static_cast<double>(x == 0 ? T(0) : x));
      return bits & sign ? ~bits : bits | sign;
    } else {
      return static_cast<uint64_t>(static_cast<int64_t>(x)) ^ sign;
    }
  }
};

} // namespace gradtidy::runtime
