// Arithmetic of tensors and numbers, with broadcasting and type promotion.
#pragma once

#include "../core/Tensor.h"

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
Tensor remainder(const Tensor &a, const Scalar &b);
Tensor pow(const Tensor &base, const Scalar &exponent);
Tensor pow(const Tensor &base, const Tensor &exponent);
Tensor maximum(const Tensor &a, const Tensor &b);
Tensor minimum(const Tensor &a, const Tensor &b);
Tensor addcmul(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &value = 1);
Tensor addcdiv(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &value = 1);
Tensor lerp(const Tensor &start, const Tensor &end, const Scalar &weight);

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

/// Writes the sum into `out`, which takes no part in a graph.
Tensor &add_out(Tensor &out, const Tensor &a, const Tensor &b, const Scalar &alpha = 1);

} // namespace gradtidy::runtime
