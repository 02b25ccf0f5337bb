// Arithmetic of tensors and numbers, with broadcasting and type promotion.
#pragma once

#include "../core/Tensor.h"

#include <string_view>

namespace gradtidy::runtime {

/// target += source outside any graph; elements of `target` may lie on top of each other, and
/// then receive the sum.
void addInto(const Tensor &target, const Tensor &source);
/// `self` summed down to `sizes`, from which its shape can be broadcast.
Tensor sumTo(const Tensor &self, IntArrayRef sizes);

Tensor add(const Tensor &a, const Tensor &b, const Scalar &alpha = 1);
Tensor sub(const Tensor &a, const Tensor &b, const Scalar &alpha = 1);
Tensor mul(const Tensor &a, const Tensor &b);
Tensor div(const Tensor &a, const Tensor &b);
/// With the rounding "trunc" (towards zero) or "floor", where integers stay integers.
Tensor div(const Tensor &a, const Tensor &b, optional<std::string_view> rounding);
Tensor floor_divide(const Tensor &a, const Tensor &b);
/// With the sign of the divisor, as in Python.
Tensor remainder(const Tensor &a, const Tensor &b);
/// With the sign of the dividend, as in C.
Tensor fmod(const Tensor &a, const Tensor &b);
Tensor pow(const Tensor &base, const Scalar &exponent);
Tensor pow(const Tensor &base, const Tensor &exponent);
Tensor maximum(const Tensor &a, const Tensor &b);
Tensor minimum(const Tensor &a, const Tensor &b);
Tensor addcmul(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &value = 1);
Tensor addcdiv(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &value = 1);
Tensor lerp(const Tensor &start, const Tensor &end, const Scalar &weight);
Tensor lerp(const Tensor &start, const Tensor &end, const Tensor &weight);

inline Tensor add(const Tensor &a, const Scalar &b, const Scalar &alpha = 1) {
  return a.add(b, alpha);
}
inline Tensor sub(const Tensor &a, const Scalar &b, const Scalar &alpha = 1) {
  return a.sub(b, alpha);
}
inline Tensor mul(const Tensor &a, const Scalar &b) { return a.mul(b); }
inline Tensor div(const Tensor &a, const Scalar &b) { return a.div(b); }
inline Tensor div(const Tensor &a, const Scalar &b, optional<std::string_view> rounding) {
  return a.div(b, rounding);
}
inline Tensor floor_divide(const Tensor &a, const Scalar &b) { return a.floor_divide(b); }
inline Tensor remainder(const Tensor &a, const Scalar &b) { return a.remainder(b); }
inline Tensor fmod(const Tensor &a, const Scalar &b) { return a.fmod(b); }

// Other names
inline Tensor rsub(const Tensor &a, const Tensor &b, const Scalar &alpha = 1) {
  return b.sub(a, alpha);
}
Tensor rsub(const Tensor &a, const Scalar &b, const Scalar &alpha = 1);
inline Tensor subtract(const Tensor &a, const Tensor &b) { return a.sub(b); }
inline Tensor subtract(const Tensor &a, const Scalar &b) { return a.sub(b); }
inline Tensor multiply(const Tensor &a, const Tensor &b) { return a.mul(b); }
inline Tensor multiply(const Tensor &a, const Scalar &b) { return a.mul(b); }
inline Tensor divide(const Tensor &a, const Tensor &b) { return a.div(b); }
inline Tensor divide(const Tensor &a, const Scalar &b) { return a.div(b); }
inline Tensor true_divide(const Tensor &a, const Tensor &b) { return a.div(b); }
inline Tensor true_divide(const Tensor &a, const Scalar &b) { return a.div(b); }

Tensor operator+(const Tensor &a, const Tensor &b);
Tensor operator+(const Tensor &a, const Scalar &b);
Tensor operator+(const Scalar &a, const Tensor &b);
Tensor operator-(const Tensor &a, const Tensor &b);
Tensor operator-(const Tensor &a, const Scalar &b);
Tensor operator-(const Scalar &a, const Tensor &b);
Tensor operator*(const Tensor &a, const Tensor &b);
Tensor operator*(const Tensor &a, const Scalar &b);
Tensor operator*(const Scalar &a, const Tensor &b);
Tensor operator/(const Tensor &a, const Tensor &b);
Tensor operator/(const Tensor &a, const Scalar &b);
Tensor operator/(const Scalar &a, const Tensor &b);
inline Tensor operator%(const Tensor &a, const Tensor &b) { return a.remainder(b); }
inline Tensor operator%(const Tensor &a, const Scalar &b) { return a.remainder(b); }

/// Writes the sum into `out`, which takes no part in a graph.
Tensor &add_out(Tensor &out, const Tensor &a, const Tensor &b, const Scalar &alpha = 1);

} // namespace gradtidy::runtime
