// Pooling over one, two or three dimensions: the maximum or mean of each window.
//
// Inputs are (N, C, extents...) or (C, extents...). Without a stride windows lie side by side. With
// `ceilMode` windows may reach over the far edge. Indices count the elements of one channel.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

#define GRADTIDY_POOLING(D)                                                                        \
  Tensor max_pool##D##d(const Tensor &self, IntArrayRef kernel, IntArrayRef stride = {},           \
                        IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceilMode = false); \
  std::tuple<Tensor, Tensor> max_pool##D##d_with_indices(                                          \
      const Tensor &self, IntArrayRef kernel, IntArrayRef stride = {}, IntArrayRef padding = 0,    \
      IntArrayRef dilation = 1, bool ceilMode = false);                                            \
  std::tuple<Tensor, Tensor> adaptive_max_pool##D##d(const Tensor &self, IntArrayRef outputSize);  \
  Tensor adaptive_avg_pool##D##d(const Tensor &self, IntArrayRef outputSize);                      \
  /** The inverse of pooling by maxima: values at `indices`, zeros elsewhere. */                   \
  Tensor max_unpool##D##d(const Tensor &self, const Tensor &indices, IntArrayRef outputSize);
GRADTIDY_POOLING(1)
GRADTIDY_POOLING(2)
GRADTIDY_POOLING(3)
#undef GRADTIDY_POOLING

/// `countIncludePad`: the padding counts among the elements a mean is taken over.
Tensor avg_pool1d(const Tensor &self, IntArrayRef kernel, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceilMode = false, bool countIncludePad = true);
Tensor avg_pool2d(const Tensor &self, IntArrayRef kernel, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceilMode = false, bool countIncludePad = true,
                  optional<int64_t> divisorOverride = nullopt);
Tensor avg_pool3d(const Tensor &self, IntArrayRef kernel, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceilMode = false, bool countIncludePad = true,
                  optional<int64_t> divisorOverride = nullopt);

} // namespace gradtidy::runtime
