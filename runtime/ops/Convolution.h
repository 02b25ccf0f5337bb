// Convolution and its transpose over one, two or three dimensions.
//
// Inputs are (N, C, extents...) or (C, extents...), weights (C_out, C / groups, kernel...), those
// of the transpose (C, C_out / groups, kernel...). The result has, along each dimension,
//   (extent + 2 padding - dilation (kernel - 1) - 1) / stride + 1   elements, the transpose
//   (extent - 1) stride - 2 padding + dilation (kernel - 1) + output padding + 1.
// A single number stands for all dimensions. Padding may also be "valid" (none) or "same".
#pragma once

#include "../core/Tensor.h"

#include <string_view>

namespace gradtidy::runtime {

#define GRADTIDY_CONVOLUTION(D)                                                                    \
  Tensor conv##D##d(const Tensor &input, const Tensor &weight, const Tensor &bias = {},            \
                    IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,     \
                    int64_t groups = 1);                                                           \
  Tensor conv##D##d(const Tensor &input, const Tensor &weight, const Tensor &bias,                 \
                    IntArrayRef stride, std::string_view padding, IntArrayRef dilation = 1,        \
                    int64_t groups = 1);                                                           \
  Tensor conv_transpose##D##d(const Tensor &input, const Tensor &weight, const Tensor &bias = {},  \
                              IntArrayRef stride = 1, IntArrayRef padding = 0,                     \
                              IntArrayRef outputPadding = 0, int64_t groups = 1,                   \
                              IntArrayRef dilation = 1);
GRADTIDY_CONVOLUTION(1)
GRADTIDY_CONVOLUTION(2)
GRADTIDY_CONVOLUTION(3)
#undef GRADTIDY_CONVOLUTION

} // namespace gradtidy::runtime
