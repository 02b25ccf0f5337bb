// Rearrangements of images: windows as columns, channels as pixels.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// The windows of images (N, C, H, W) or (C, H, W) as columns: (N, C kernel..., positions).
Tensor im2col(const Tensor &self, IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding,
              IntArrayRef stride);
/// The adjoint of im2col: images of the given size, in which what overlaps is summed.
Tensor col2im(const Tensor &self, IntArrayRef outputSize, IntArrayRef kernel, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride);

/// (..., C r², H, W) to (..., C, H r, W r). (W. Shi et al., Real-Time Single Image and Video
/// Super-Resolution Using an Efficient Sub-Pixel Convolutional Neural Network, 2016)
Tensor pixel_shuffle(const Tensor &self, int64_t upscaleFactor);
/// (..., C, H r, W r) to (..., C r², H, W).
Tensor pixel_unshuffle(const Tensor &self, int64_t downscaleFactor);

} // namespace gradtidy::runtime
