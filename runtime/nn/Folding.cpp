#include "Folding.h"

#include <ostream>

namespace gradtidy::runtime::nn {
namespace functional {

Tensor fold(const Tensor &input, const FoldFuncOptions &options) {
  TORCH_CHECK(input.dim() == 3 || input.dim() == 2,
              "Input Error: Only unbatched (2D) or batched (3D) input Tensors are supported (got ",
              input.dim(), "D)");
  return col2im(input, options.output_size(), options.kernel_size(), options.dilation(),
                options.padding(), options.stride());
}

Tensor unfold(const Tensor &input, const UnfoldFuncOptions &options) {
  TORCH_CHECK(input.dim() == 4, "Input Error: Only 4D input Tensors are supported (got ",
              input.dim(), "D)");
  return im2col(input, options.kernel_size(), options.dilation(), options.padding(),
                options.stride());
}

Tensor pixel_shuffle(const Tensor &input, const PixelShuffleFuncOptions &options) {
  return runtime::pixel_shuffle(input, options.upscale_factor());
}

Tensor pixel_unshuffle(const Tensor &input, const PixelUnshuffleFuncOptions &options) {
  return runtime::pixel_unshuffle(input, options.downscale_factor());
}

} // namespace functional

void FoldImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Fold(output_size=" << options.output_size()
         << ", kernel_size=" << options.kernel_size() << ", dilation=" << options.dilation()
         << ", padding=" << options.padding() << ", stride=" << options.stride() << ")";
}
void UnfoldImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Unfold(kernel_size=" << options.kernel_size()
         << ", dilation=" << options.dilation() << ", padding=" << options.padding()
         << ", stride=" << options.stride() << ")";
}
void PixelShuffleImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::PixelShuffle(upscale_factor=" << options.upscale_factor() << ")";
}
void PixelUnshuffleImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::PixelUnshuffle(downscale_factor=" << options.downscale_factor() << ")";
}

} // namespace gradtidy::runtime::nn
