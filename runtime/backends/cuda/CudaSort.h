// Sorting on CUDA devices, by CUB.
#pragma once

#include "../../core/Tensor.h"

namespace gradtidy::runtime {

/// Writes into `order` the positions of the keys of each row (along the last dimension) in
/// ascending order as unsigned integers; equal keys stay in their order. Both are int64 and
/// contiguous. `stream` is a cudaStream_t.
void orderByCuda(const Tensor &order, const Tensor &keys, void *stream);

} // namespace gradtidy::runtime
