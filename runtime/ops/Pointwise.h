// Functions of each element alone. Integers give floating point where the function needs it.
#pragma once

#include "../core/Tensor.h"

#include <cmath>
#include <string_view>

namespace gradtidy::runtime {

Tensor neg(const Tensor &x);
Tensor abs(const Tensor &x);
Tensor exp(const Tensor &x);
Tensor exp2(const Tensor &x);
Tensor expm1(const Tensor &x);
Tensor log(const Tensor &x);
Tensor log2(const Tensor &x);
Tensor log10(const Tensor &x);
Tensor log1p(const Tensor &x);
Tensor sqrt(const Tensor &x);
Tensor rsqrt(const Tensor &x);
Tensor square(const Tensor &x);
Tensor reciprocal(const Tensor &x);
Tensor erf(const Tensor &x);
Tensor erfc(const Tensor &x);
Tensor erfinv(const Tensor &x);
Tensor tanh(const Tensor &x);
Tensor sigmoid(const Tensor &x);
Tensor relu(const Tensor &x);
Tensor sign(const Tensor &x);
Tensor floor(const Tensor &x);
Tensor trunc(const Tensor &x);
Tensor ceil(const Tensor &x);
/// What trunc takes away.
Tensor frac(const Tensor &x);
Tensor round(const Tensor &x);
Tensor clamp(const Tensor &x, const optional<Scalar> &min = nullopt,
             const optional<Scalar> &max = nullopt);
/// The same with bounds for each element.
Tensor clamp(const Tensor &x, const optional<Tensor> &min, const optional<Tensor> &max = nullopt);
inline Tensor clip(const Tensor &x, const optional<Scalar> &min = nullopt,
                   const optional<Scalar> &max = nullopt) {
  return clamp(x, min, max);
}
Tensor clamp_min(const Tensor &x, const Scalar &min);
Tensor clamp_max(const Tensor &x, const Scalar &max);
/// With numbers for NaN (0) and the infinities (the largest and the smallest of the type).
Tensor nan_to_num(const Tensor &x, optional<double> nan = nullopt,
                  optional<double> posinf = nullopt, optional<double> neginf = nullopt);
Tensor isnan(const Tensor &x);
Tensor isinf(const Tensor &x);
Tensor isfinite(const Tensor &x);
Tensor logical_not(const Tensor &x);
inline Tensor isposinf(const Tensor &x) { return x.eq(HUGE_VAL); }
inline Tensor isneginf(const Tensor &x) { return x.eq(-HUGE_VAL); }

// Other names
inline Tensor negative(const Tensor &x) { return neg(x); }
inline Tensor positive(const Tensor &x) { return x; }
inline Tensor absolute(const Tensor &x) { return abs(x); }
inline Tensor sgn(const Tensor &x) { return sign(x); }
inline Tensor fix(const Tensor &x) { return trunc(x); }

Tensor leaky_relu(const Tensor &x, const Scalar &negativeSlope = 0.01);
/// scale x where positive, else scale alpha (exp(inputScale x) - 1)
Tensor elu(const Tensor &x, const Scalar &alpha = 1, const Scalar &scale = 1,
           const Scalar &inputScale = 1);
Tensor gelu(const Tensor &x);
/// With `approximate` "tanh" instead of "none" by a formula that needs no error function.
Tensor gelu(const Tensor &x, std::string_view approximate);
/// `result`, computed elsewhere, as the gelu(x, "tanh") that it is.
Tensor recordTanhGelu(const Tensor &x, const Tensor &result);
Tensor silu(const Tensor &x);
Tensor softplus(const Tensor &x, const Scalar &beta = 1, const Scalar &threshold = 20);
Tensor log_sigmoid(const Tensor &x);

/// For gradients of functions that are straight lines, by `x` of which they do not depend but
/// through `open`: the gradient where `open` holds, else `closedSlope` times it. Its own gradient
/// by `x` is zeros.
Tensor gated(const Tensor &gradient, const Tensor &x, const Tensor &open, double closedSlope = 0,
             double openSlope = 1);

} // namespace gradtidy::runtime
