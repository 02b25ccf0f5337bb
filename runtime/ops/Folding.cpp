#include "Folding.h"
#include "../core/RecordFunction.h"
#include "Padding.h"
#include "Views.h"
#include "Windows.h"

#include <string>

namespace gradtidy::runtime {
namespace {

/// "(2, 3)"
std::string pairText(IntArrayRef pair) { return concat("(", pair[0], ", ", pair[1], ")"); }

struct Columns {
  Columns(IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride)
      : windows{kernel.vec(), stride.vec(), dilation.vec()}, padding(padding.vec()) {
    auto check = [](const char *name, IntArrayRef values, int64_t least) {
      TORCH_CHECK(values.size() == 2, "It is expected ", name, " equals to 2, but got size ",
                  values.size());
      TORCH_CHECK(values[0] >= least && values[1] >= least, name, " should be ",
                  least == 0 ? "non-negative" : "greater than zero", ", but got ",
                  pairText(values));
    };
    check("kernel_size", kernel, 1);
    check("dilation", dilation, 1);
    check("padding", padding, 0);
    check("stride", stride, 1);
  }

  /// The extents of an image with its padding.
  DimVector padded(IntArrayRef extents) const {
    return {extents[0] + 2 * padding[0], extents[1] + 2 * padding[1]};
  }
  /// How many windows lie in an image of these extents, along each dimension.
  DimVector positions(IntArrayRef extents) const {
    DimVector whole = padded(extents), counts;
    for (std::size_t d = 0; d < 2; ++d)
      counts.push_back(
          whole[d] < windows.reach(d) ? 0 : (whole[d] - windows.reach(d)) / windows.stride[d] + 1);
    return counts;
  }
  DimVector pads(int64_t sign) const {
    return {sign * padding[1], sign * padding[1], sign * padding[0], sign * padding[0]};
  }

  Windows windows;
  DimVector padding;
};

} // namespace

Tensor im2col(const Tensor &self, IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding,
              IntArrayRef stride) {
  OperationScope scope("im2col");
  Columns columns(kernel, dilation, padding, stride);
  TORCH_CHECK(self.dim() == 3 || self.dim() == 4,
              "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and non-zero "
              "dimensions for input, but got: ",
              toText(self.sizes()));
  DimVector extents = spatialSizes(self, 2), counts = columns.positions(extents);
  TORCH_CHECK(counts[0] > 0 && counts[1] > 0, "Given input with spatial size ", pairText(extents),
              ", kernel_size=", pairText(kernel), ", dilation=", pairText(dilation),
              ", padding=", pairText(padding),
              ", calculated shape of the array of sliding blocks as ", pairText(counts),
              ", but its components must be at least one.");
  Tensor all = windowsOf(constant_pad_nd(self, columns.pads(1), 0), columns.windows);
  return all.flatten(-2).flatten(-4, -2);
}

Tensor col2im(const Tensor &self, IntArrayRef outputSize, IntArrayRef kernel, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride) {
  OperationScope scope("col2im");
  Columns columns(kernel, dilation, padding, stride);
  TORCH_CHECK(self.dim() == 2 || self.dim() == 3,
              "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
              "non-zero dimensions for input, but got: ",
              toText(self.sizes()));
  int64_t area = kernel[0] * kernel[1];
  TORCH_CHECK(self.size(-2) % area == 0,
              "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
              "but got input.size(1)=",
              self.size(-2), " and kernel_size=", pairText(kernel), ".");
  DimVector counts = columns.positions(outputSize);
  TORCH_CHECK(self.size(-1) == counts[0] * counts[1], "Given output_size=", pairText(outputSize),
              ", kernel_size=", pairText(kernel), ", dilation=", pairText(dilation),
              ", padding=", pairText(padding), ", stride=", pairText(stride),
              ", expected size of input's dimension 2 to match the calculated number of sliding "
              "blocks ",
              counts[0], " * ", counts[1], " = ", counts[0] * counts[1],
              ", but got input.size(2)=", self.size(-1), ".");
  DimVector shape(self.sizes().begin(), self.sizes().end() - 2);
  shape.insert(shape.end(), {self.size(-2) / area, kernel[0], kernel[1], counts[0], counts[1]});
  return constant_pad_nd(
      overlapAdd(self.reshape(shape), columns.padded(outputSize), columns.windows),
      columns.pads(-1), 0);
}

Tensor pixel_shuffle(const Tensor &self, int64_t upscaleFactor) {
  OperationScope scope("pixel_shuffle");
  TORCH_CHECK(self.dim() >= 3,
              "pixel_shuffle expects input to have at least 3 dimensions, but got input with ",
              self.dim(), " dimension(s)");
  int64_t r = upscaleFactor, channels = self.size(-3), height = self.size(-2),
          width = self.size(-1);
  TORCH_CHECK(r > 0, "pixel_shuffle expects a positive upscale_factor, but got ", r);
  TORCH_CHECK(channels % (r * r) == 0,
              "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
              "of upscale_factor, but input.size(-3)=",
              channels, " is not divisible by ", r * r);
  DimVector shape(self.sizes().begin(), self.sizes().end() - 3);
  shape.insert(shape.end(), {channels / (r * r), height * r, width * r});
  return self.reshape({-1, channels / (r * r), r, r, height, width})
      .permute({0, 1, 4, 2, 5, 3})
      .reshape(shape);
}

Tensor pixel_unshuffle(const Tensor &self, int64_t downscaleFactor) {
  OperationScope scope("pixel_unshuffle");
  TORCH_CHECK(self.dim() >= 3,
              "pixel_unshuffle expects input to have at least 3 dimensions, but got input with ",
              self.dim(), " dimension(s)");
  int64_t r = downscaleFactor, channels = self.size(-3), height = self.size(-2),
          width = self.size(-1);
  TORCH_CHECK(r > 0, "pixel_unshuffle expects a positive downscale_factor, but got ", r);
  TORCH_CHECK(height % r == 0,
              "pixel_unshuffle expects height to be divisible by downscale_factor, but "
              "input.size(-2)=",
              height, " is not divisible by ", r);
  TORCH_CHECK(width % r == 0,
              "pixel_unshuffle expects width to be divisible by downscale_factor, but "
              "input.size(-1)=",
              width, " is not divisible by ", r);
  DimVector shape(self.sizes().begin(), self.sizes().end() - 3);
  shape.insert(shape.end(), {channels * r * r, height / r, width / r});
  return self.reshape({-1, channels, height / r, r, width / r, r})
      .permute({0, 1, 3, 5, 2, 4})
      .reshape(shape);
}

} // namespace gradtidy::runtime
