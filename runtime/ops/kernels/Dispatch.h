// From a run-time ScalarType to a C++ type, and from one of these to another.
#pragma once

#include "../../core/Platform.h"
#include "../../core/ScalarType.h"

#include <type_traits>

namespace gradtidy::runtime {

/// `x` as a T. Negative numbers wrap around in bytes; by itself, a compiler makes of those of
/// floating point what it likes, and a device 0.
template <class T, class From> GRADTIDY_HOST_DEVICE T converted(From x) {
  if constexpr (std::is_same_v<T, uint8_t> && std::is_floating_point_v<From>)
    return static_cast<T>(static_cast<int64_t>(x));
  else
    return static_cast<T>(x);
}

/// Throws LibTorch's words for an `operation` that does not know `type`.
[[noreturn]] void failForType(const char *operation, ScalarType type);

/// Calls f.operator()<T>() with the C++ type of `type`; `operation` is for the message when the
/// type is not one of those wanted.
template <class F> void dispatchFloating(ScalarType type, const char *operation, F &&f) {
  switch (type) {
  case ScalarType::Half:
    return f.template operator()<Half>();
  case ScalarType::BFloat16:
    return f.template operator()<BFloat16>();
  case ScalarType::Float:
    return f.template operator()<float>();
  case ScalarType::Double:
    return f.template operator()<double>();
  default:
    failForType(operation, type);
  }
}

/// All number types, no bool.
template <class F> void dispatchNumbers(ScalarType type, const char *operation, F &&f) {
  switch (type) {
  case ScalarType::Byte:
    return f.template operator()<uint8_t>();
  case ScalarType::Int:
    return f.template operator()<int32_t>();
  case ScalarType::Long:
    return f.template operator()<int64_t>();
  default:
    return dispatchFloating(type, operation, f);
  }
}

template <class F> void dispatchAll(ScalarType type, const char *operation, F &&f) {
  if (type == ScalarType::Bool)
    return f.template operator()<bool>();
  dispatchNumbers(type, operation, f);
}

} // namespace gradtidy::runtime
