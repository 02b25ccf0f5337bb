// Half and BFloat16: floating point numbers of 16 bits, for storage. Arithmetic is that of float:
// operands are widened and results rounded to the nearest, to even in the middle. CUDA devices have
// instructions for both.
#pragma once

#include "Platform.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace gradtidy::runtime {

/// IEEE binary16: 5 bits of exponent, 10 of mantissa.
struct HalfFormat {
  GRADTIDY_HOST_DEVICE static constexpr uint16_t fromFloat(float value) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) {
      uint16_t rounded;
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded) : "f"(value));
      return rounded;
    }
#endif
    uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) // NaN
      return static_cast<uint16_t>(sign | 0x7e00);
    if (bits >= 0x477ff000) // rounds to more than the largest number
      return static_cast<uint16_t>(sign | 0x7c00);
    if (bits < 0x38800000) { // subnormal: its last bit is that of numbers around a half
      float aligned = std::bit_cast<float>(bits) + 0.5f;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(aligned) - 0x3f000000));
    }
    bits += 0xfff + (bits >> 13 & 1);
    return static_cast<uint16_t>(sign | (bits - 0x38000000) >> 13);
  }
  GRADTIDY_HOST_DEVICE static constexpr float toFloat(uint16_t bits) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) {
      float value;
      asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
      return value;
    }
#endif
    uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
    if (exponent == 0) {
      float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
      return sign ? -magnitude : magnitude;
    }
    exponent = exponent == 0x1f ? 0xff : exponent + 112;
    return std::bit_cast<float>(sign | exponent << 23 | mantissa << 13);
  }
};

/// The upper half of a float: 8 bits of exponent, 7 of mantissa.
struct BFloat16Format {
  GRADTIDY_HOST_DEVICE static constexpr uint16_t fromFloat(float value) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) {
      uint16_t rounded;
      asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded) : "f"(value));
      return rounded;
    }
#endif
    if (value != value)
      return 0x7fc0;
    auto bits = std::bit_cast<uint32_t>(value);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  GRADTIDY_HOST_DEVICE static constexpr float toFloat(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

template <class Format> struct Float16 {
  uint16_t x;

  Float16() = default;
  GRADTIDY_HOST_DEVICE constexpr Float16(float value) : x(Format::fromFloat(value)) {}
  GRADTIDY_HOST_DEVICE constexpr operator float() const { return Format::toFloat(x); }
  GRADTIDY_HOST_DEVICE Float16 &operator+=(float other) { return *this = *this + other; }
  GRADTIDY_HOST_DEVICE Float16 &operator-=(float other) { return *this = *this - other; }
  GRADTIDY_HOST_DEVICE Float16 &operator*=(float other) { return *this = *this * other; }
  GRADTIDY_HOST_DEVICE Float16 &operator/=(float other) { return *this = *this / other; }
};

using Half = Float16<HalfFormat>;
using BFloat16 = Float16<BFloat16Format>;

/// The type in which values of T are computed with.
template <class T> struct MathTypeOf {
  using type = T;
};
template <class Format> struct MathTypeOf<Float16<Format>> {
  using type = float;
};
template <class T> using MathType = typename MathTypeOf<T>::type;

} // namespace gradtidy::runtime
