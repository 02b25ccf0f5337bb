// Activations made of other operations.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// a * sigmoid(b) for the halves a and b of `x` along `dim`.
Tensor glu(const Tensor &x, int64_t dim = -1);
/// x where positive, else x times its weight: one, or one for each channel (dimension 1).
Tensor prelu(const Tensor &x, const Tensor &weight);
Tensor selu(const Tensor &x);
Tensor celu(const Tensor &x, const Scalar &alpha = 1);
/// Clamped; unlike clamp(), no gradient comes through at the bounds themselves.
Tensor hardtanh(const Tensor &x, const Scalar &min = -1, const Scalar &max = 1);
Tensor relu6(const Tensor &x);
Tensor hardsigmoid(const Tensor &x);
Tensor hardswish(const Tensor &x);
/// x tanh(softplus(x))
Tensor mish(const Tensor &x);
/// Elements in [-lambda, lambda] become 0; softshrink also moves the others towards 0 by lambda.
Tensor hardshrink(const Tensor &x, const Scalar &lambda = 0.5);
Tensor softshrink(const Tensor &x, const Scalar &lambda = 0.5);
/// `value` where x is not above `threshold`.
Tensor threshold(const Tensor &x, const Scalar &threshold, const Scalar &value);

} // namespace gradtidy::runtime
