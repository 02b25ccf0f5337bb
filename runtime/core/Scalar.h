// Scalar: one number of any type, as passed beside tensors (x + 1, clamp(0, 1), item()).
#pragma once

#include "ScalarType.h"

#include <cmath>
#include <concepts>
#include <iosfwd>
#include <limits>

namespace gradtidy::runtime {

class Scalar {
public:
  Scalar() : Scalar(int64_t{0}) {}
  template <std::floating_point T>
  Scalar(T value) : kind(ScalarType::Double), real(double(value)) {}
  template <std::integral T>
  Scalar(T value)
      : kind(std::same_as<T, bool> ? ScalarType::Bool : ScalarType::Long),
        integer(static_cast<int64_t>(value)) {}

  bool isFloatingPoint() const { return kind == ScalarType::Double; }
  bool isIntegral(bool includeBool) const { return isIntegralType(kind, includeBool); }
  bool isBoolean() const { return kind == ScalarType::Bool; }
  /// Double, Long or Bool.
  ScalarType type() const { return kind; }

  /// Throws std::runtime_error where a T has no room for the number; a negative one may wrap
  /// around.
  template <class T> T to() const {
    if (isFloatingPoint() ? !holds<T>(real) : !holds<T>(integer))
      failToHold(scalarTypeOf<T>);
    return isFloatingPoint() ? static_cast<T>(real) : wrapped<T>(integer);
  }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return isFloatingPoint() ? real != 0 : integer != 0; }
  Scalar operator-() const { return isFloatingPoint() ? Scalar(-real) : Scalar(-integer); }

private:
  template <class T> static bool holds(double value) {
    if constexpr (std::is_same_v<T, double>)
      return true;
    else if constexpr (std::is_integral_v<T>)
      return value >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
             value < std::ldexp(1.0, std::numeric_limits<T>::digits);
    else
      return std::isnan(value) || std::isinf(value) || std::abs(value) <= largest<T>();
  }
  template <class T> static bool holds(int64_t value) {
    if constexpr (!std::is_integral_v<T>)
      return holds<T>(static_cast<double>(value));
    else
      return value <= static_cast<int64_t>(std::numeric_limits<T>::max()) &&
             value >= (std::is_signed_v<T> ? static_cast<int64_t>(std::numeric_limits<T>::min())
                                           : -static_cast<int64_t>(std::numeric_limits<T>::max()));
  }
  template <class T> static constexpr double largest() {
    return std::is_same_v<T, Half> ? 65504.0
                                   : static_cast<double>(std::numeric_limits<float>::max());
  }
  template <class T> static T wrapped(int64_t value) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(value);
    else
      return static_cast<T>(static_cast<double>(value));
  }
  [[noreturn]] static void failToHold(ScalarType type);

  ScalarType kind;
  union {
    double real;
    int64_t integer;
  };
};

template <> inline bool Scalar::to<bool>() const { return toBool(); }

inline std::string toText(const Scalar &value) {
  return value.isFloatingPoint() ? detail::toText(value.toDouble())
                                 : std::to_string(value.toLong());
}

std::ostream &operator<<(std::ostream &out, const Scalar &value);

} // namespace gradtidy::runtime
