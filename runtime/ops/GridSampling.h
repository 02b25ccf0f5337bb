// Images seen through a grid: values between the elements, at places that are tensors themselves.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// The values of `input` (N, C, H, W) at the places (x, y) that `grid` (N, h, w, 2) holds, -1 and 1
/// being opposite edges, or, with `alignCorners`, the centres of the outermost elements; or the same
/// with a dimension more. `interpolation` is 0 for linear, 1 for nearest, 2 for cubic (images only);
/// `padding`, for places outside, 0 for zeros, 1 for the nearest element, 2 for reflection.
Tensor grid_sampler(const Tensor &input, const Tensor &grid, int64_t interpolation, int64_t padding,
                    bool alignCorners);

/// The grid (N, H, W, 2) of the places to which `theta` (N, 2, 3) takes those of an image of `size`
/// (N, C, H, W); or, with (N, 3, 4), the same with a dimension more.
Tensor affine_grid_generator(const Tensor &theta, IntArrayRef size, bool alignCorners);

} // namespace gradtidy::runtime
