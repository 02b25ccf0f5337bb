// From a run-time ScalarType to a C++ type.
#pragma once

#include "../../core/ScalarType.h"

// Formulas of elements are function objects marked with this word, so that a device compiler may
// compile the same formula for its kernels.
#if defined(__CUDACC__)
#define GRADTIDY_HOST_DEVICE __host__ __device__
#else
#define GRADTIDY_HOST_DEVICE
#endif

namespace gradtidy::runtime {

/// Calls f.operator()<T>() with the C++ type of `type`; `operation` is for the message when the
/// type is not one of those wanted.
template <class F> void dispatchFloating(ScalarType type, const char *operation, F &&f) {
  switch (type) {
  case ScalarType::Float:
    return f.template operator()<float>();
  case ScalarType::Double:
    return f.template operator()<double>();
  default:
    fail("\"", operation, "\" not implemented for '", type, "'");
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
