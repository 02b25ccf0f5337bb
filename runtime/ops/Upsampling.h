// Other sizes for the last dimensions of (N, C, extents...), by values between the elements.
//
// A step of the output is in / out steps of the input, or 1 / scale where a scale is given. With
// `alignCorners` the corners of both lie on each other, else their edges.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

using UpsampleScales = std::vector<optional<double>>;

/// The element below each place, or the one nearest to its centre.
Tensor upsampleNearest(const Tensor &self, IntArrayRef sizes, const UpsampleScales &scales);
Tensor upsampleNearestExact(const Tensor &self, IntArrayRef sizes, const UpsampleScales &scales);
Tensor upsampleLinear(const Tensor &self, IntArrayRef sizes, bool alignCorners,
                      const UpsampleScales &scales);
/// R. Keys, Cubic Convolution Interpolation for Digital Image Processing, 1981.
Tensor upsampleCubic(const Tensor &self, IntArrayRef sizes, bool alignCorners,
                     const UpsampleScales &scales);

Tensor upsample_nearest1d(const Tensor &self, IntArrayRef size, optional<double> scale = nullopt);
Tensor upsample_nearest2d(const Tensor &self, IntArrayRef size, optional<double> scaleH = nullopt,
                          optional<double> scaleW = nullopt);
Tensor upsample_nearest3d(const Tensor &self, IntArrayRef size, optional<double> scaleD = nullopt,
                          optional<double> scaleH = nullopt, optional<double> scaleW = nullopt);
Tensor upsample_linear1d(const Tensor &self, IntArrayRef size, bool alignCorners,
                         optional<double> scale = nullopt);
Tensor upsample_bilinear2d(const Tensor &self, IntArrayRef size, bool alignCorners,
                           optional<double> scaleH = nullopt, optional<double> scaleW = nullopt);
Tensor upsample_bicubic2d(const Tensor &self, IntArrayRef size, bool alignCorners,
                          optional<double> scaleH = nullopt, optional<double> scaleW = nullopt);
Tensor upsample_trilinear3d(const Tensor &self, IntArrayRef size, bool alignCorners,
                            optional<double> scaleD = nullopt, optional<double> scaleH = nullopt,
                            optional<double> scaleW = nullopt);

} // namespace gradtidy::runtime
