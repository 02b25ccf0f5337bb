// Functions that probability and geometry use: of angles, of sums of exponentials, gamma.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// The angle of the point (x, y), in (-pi, pi].
Tensor atan2(const Tensor &y, const Tensor &x);
/// sqrt(a^2 + b^2)
Tensor hypot(const Tensor &a, const Tensor &b);
/// log(exp(a) + exp(b)), where neither exponential need fit.
Tensor logaddexp(const Tensor &a, const Tensor &b);
/// The same for powers of 2.
Tensor logaddexp2(const Tensor &a, const Tensor &b);
/// x log(y), and 0 where x is.
Tensor xlogy(const Tensor &x, const Tensor &y);
/// The size of `a` with the sign of `b`.
Tensor copysign(const Tensor &a, const Tensor &b);
/// maximum and minimum to which NaN is as good as no number.
Tensor fmax(const Tensor &a, const Tensor &b);
Tensor fmin(const Tensor &a, const Tensor &b);
/// In float64.
Tensor float_power(const Tensor &base, const Tensor &exponent);
Tensor float_power(const Tensor &base, const Scalar &exponent);

/// log(x / (1 - x)), of what is first clamped to [eps, 1 - eps] where `eps` is given.
Tensor logit(const Tensor &x, optional<double> eps = nullopt);
/// sin(pi x) / (pi x)
Tensor sinc(const Tensor &x);
/// The logarithm of the gamma function's size.
Tensor lgamma(const Tensor &x);
/// The derivatives of lgamma: the first, and number n + 1.
Tensor digamma(const Tensor &x);
Tensor polygamma(int64_t n, const Tensor &x);
Tensor deg2rad(const Tensor &x);
Tensor rad2deg(const Tensor &x);
/// Whether numbers are below 0, negative zeros among them.
Tensor signbit(const Tensor &x);

} // namespace gradtidy::runtime
