// Windows that slide over the last dimensions of a tensor: what convolution and pooling see. For
// the runtime's own code.
#pragma once

#include "../core/Shape.h"
#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// A grid of windows over as many last dimensions as the vectors have entries.
struct Windows {
  DimVector kernel, stride, dilation;

  std::size_t dims() const { return kernel.size(); }
  /// The elements between the first and the last of a window, both included.
  int64_t reach(std::size_t d) const { return dilation[d] * (kernel[d] - 1) + 1; }
};

/// The last `dims` sizes of `x`.
DimVector spatialSizes(const Tensor &x, std::size_t dims);

/// A view (..., kernel..., positions...) of `x` (..., extents...): all windows that fit.
Tensor windowsOf(const Tensor &x, const Windows &windows);

/// The adjoint of windowsOf: the sum, at each element of (..., extents...), of what `parts`
/// (..., kernel..., positions...) hold for it.
Tensor overlapAdd(const Tensor &parts, IntArrayRef extents, const Windows &windows);

} // namespace gradtidy::runtime
