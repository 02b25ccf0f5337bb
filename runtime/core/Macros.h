// Macros and small helpers that programs use beside tensors: warnings, ranges of integers, code for
// each element type.
#pragma once

#include "Error.h"
#include "ScalarType.h"

#include <cstdio>
#include <type_traits>

/// The version of LibTorch whose names these are.
#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 15
#define TORCH_VERSION_PATCH 0
#define TORCH_VERSION "2.15.0"

#define AT_ERROR(...) ::gradtidy::runtime::fail(::gradtidy::runtime::str(__VA_ARGS__))

/// Prints the joined texts on standard error, for _ONCE the first time alone.
#define TORCH_WARN(...) ::gradtidy::runtime::warn(::gradtidy::runtime::str(__VA_ARGS__))
#define TORCH_WARN_ONCE(...)                                                                       \
  do {                                                                                             \
    [[maybe_unused]] static const bool warned = (TORCH_WARN(__VA_ARGS__), true);                   \
  } while (false)

/// Calls a lambda in which scalar_t is the C++ type of the elements; NAME stands in the message of
/// types that have no case.
#define GRADTIDY_DISPATCH(TYPE, NAME, ...)                                                         \
  [&] {                                                                                            \
    ::gradtidy::runtime::ScalarType dispatched = TYPE;                                             \
    switch (dispatched) {                                                                          \
      __VA_ARGS__                                                                                  \
    default:                                                                                       \
      throw ::gradtidy::runtime::NotImplementedError(                                              \
          ::gradtidy::runtime::concat('"', NAME, "\" not implemented for '", dispatched, "'"));    \
    }                                                                                              \
  }()
#define GRADTIDY_CASE(Type, T, ...)                                                                \
  case ::gradtidy::runtime::ScalarType::Type: {                                                    \
    using scalar_t [[maybe_unused]] = T;                                                           \
    return __VA_ARGS__();                                                                          \
  }
#define GRADTIDY_FLOATING_CASES(...)                                                               \
  GRADTIDY_CASE(Float, float, __VA_ARGS__) GRADTIDY_CASE(Double, double, __VA_ARGS__)
#define GRADTIDY_INTEGRAL_CASES(...)                                                               \
  GRADTIDY_CASE(Byte, uint8_t, __VA_ARGS__)                                                        \
  GRADTIDY_CASE(Int, int32_t, __VA_ARGS__) GRADTIDY_CASE(Long, int64_t, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...)                                                \
  GRADTIDY_DISPATCH(TYPE, NAME, GRADTIDY_FLOATING_CASES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...)                                       \
  GRADTIDY_DISPATCH(TYPE, NAME,                                                                    \
                    GRADTIDY_FLOATING_CASES(__VA_ARGS__)                                           \
                        GRADTIDY_CASE(Half, ::gradtidy::runtime::Half, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...)                                                \
  GRADTIDY_DISPATCH(TYPE, NAME, GRADTIDY_INTEGRAL_CASES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...)                                                     \
  GRADTIDY_DISPATCH(TYPE, NAME,                                                                    \
                    GRADTIDY_FLOATING_CASES(__VA_ARGS__) GRADTIDY_INTEGRAL_CASES(__VA_ARGS__))

namespace gradtidy::runtime {

inline void warn(const std::string &text) { std::fprintf(stderr, "Warning: %s\n", text.c_str()); }

/// The integers of a half-open range, for range-based loops: irange(n), irange(first, end).
template <class T> class IntegerRange {
public:
  class Iterator {
  public:
    explicit Iterator(T value) : value(value) {}
    T operator*() const { return value; }
    Iterator &operator++() {
      ++value;
      return *this;
    }
    friend bool operator==(Iterator, Iterator) = default;

  private:
    T value;
  };
  IntegerRange(T first, T end) : first(first), last(end < first ? first : end) {}
  Iterator begin() const { return Iterator(first); }
  Iterator end() const { return Iterator(last); }

private:
  T first, last;
};
template <class T> IntegerRange<T> irange(T end) { return {T(0), end}; }
template <class A, class B> IntegerRange<B> irange(A first, B end) {
  return {static_cast<B>(first), end};
}

} // namespace gradtidy::runtime
