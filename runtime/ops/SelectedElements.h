// Values that are elements of their tensor, as extrema, medians and what is sorted: their
// gradients. For the runtime's own code.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// `values`, which are those of `self` at `indices` along `dim`, and the indices.
std::tuple<Tensor, Tensor> selected(const char *node, const Tensor &self, int64_t dim,
                                    const Tensor &values, const Tensor &indices);

/// `g`, shared among the elements of `x` that are `value`, or NaN where it is.
Tensor shared(const Tensor &g, const Tensor &x, const Tensor &value, IntArrayRef dims);

} // namespace gradtidy::runtime
