// Scalar: one number of any type, as passed beside tensors (x + 1, clamp(0, 1), item()).
#pragma once

#include "ScalarType.h"

#include <concepts>
#include <iosfwd>

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

  template <class T> T to() const {
    return isFloatingPoint() ? static_cast<T>(real) : static_cast<T>(integer);
  }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return isFloatingPoint() ? real != 0 : integer != 0; }
  Scalar operator-() const { return isFloatingPoint() ? Scalar(-real) : Scalar(-integer); }

private:
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
