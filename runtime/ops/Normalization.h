// Normalisation: mean 0 and variance 1 over some dimensions, then a scale and a shift.
//
// Weights and biases may be undefined. `eps` is added to the variance, which is the biased one.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// Over all dimensions but the second, the channels. In training the statistics of the batch are
/// used, and the running ones (where defined) moved towards them: the fraction `momentum`.
Tensor batch_norm(const Tensor &input, const Tensor &weight, const Tensor &bias,
                  const Tensor &runningMean, const Tensor &runningVar, bool training,
                  double momentum, double eps, bool cudnnEnabled = false);

/// Over all dimensions but the first two: each channel of each sample by itself.
Tensor instance_norm(const Tensor &input, const Tensor &weight, const Tensor &bias,
                     const Tensor &runningMean, const Tensor &runningVar, bool useInputStats,
                     double momentum, double eps, bool cudnnEnabled = false);

/// Over the last dimensions, which have the sizes `shape`.
Tensor layer_norm(const Tensor &input, IntArrayRef shape, const Tensor &weight = {},
                  const Tensor &bias = {}, double eps = 1e-5);

/// Over groups of neighbouring channels of each sample.
Tensor group_norm(const Tensor &input, int64_t groups, const Tensor &weight = {},
                  const Tensor &bias = {}, double eps = 1e-5);

} // namespace gradtidy::runtime
