// Normalisation over batches and features.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// Normalises each channel (dimension 1) of `input`. In training by the statistics of the batch,
/// which also move the running ones (where defined) by `momentum`; else by the running ones.
Tensor batch_norm(const Tensor &input, const Tensor &weight, const Tensor &bias,
                  const Tensor &runningMean, const Tensor &runningVar, bool training,
                  double momentum, double eps, bool cudnnEnabled = false);
/// Normalises the last dimensions, those of `shape`.
Tensor layer_norm(const Tensor &input, IntArrayRef shape, const Tensor &weight = {},
                  const Tensor &bias = {}, double eps = 1e-5);

} // namespace gradtidy::runtime
