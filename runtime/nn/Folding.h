// Rearrangements of images: options, functional forms and modules.
#pragma once

#include "../core/ExpandingArray.h"
#include "../ops/Folding.h"
#include "Module.h"

namespace gradtidy::runtime::nn {

struct FoldOptions {
  FoldOptions(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size)
      : output_size_(output_size), kernel_size_(kernel_size) {}
  TORCH_ARG(ExpandingArray<2>, output_size);
  TORCH_ARG(ExpandingArray<2>, kernel_size);
  TORCH_ARG(ExpandingArray<2>, dilation) = 1;
  TORCH_ARG(ExpandingArray<2>, padding) = 0;
  TORCH_ARG(ExpandingArray<2>, stride) = 1;
};

struct UnfoldOptions {
  UnfoldOptions(ExpandingArray<2> kernel_size) : kernel_size_(kernel_size) {}
  TORCH_ARG(ExpandingArray<2>, kernel_size);
  TORCH_ARG(ExpandingArray<2>, dilation) = 1;
  TORCH_ARG(ExpandingArray<2>, padding) = 0;
  TORCH_ARG(ExpandingArray<2>, stride) = 1;
};

struct PixelShuffleOptions {
  PixelShuffleOptions(int64_t upscale_factor) : upscale_factor_(upscale_factor) {}
  TORCH_ARG(int64_t, upscale_factor);
};

struct PixelUnshuffleOptions {
  PixelUnshuffleOptions(int64_t downscale_factor) : downscale_factor_(downscale_factor) {}
  TORCH_ARG(int64_t, downscale_factor);
};

// Fold sums columns (N, C kernel..., positions) up to images, Unfold makes columns of the windows
// of images (N, C, H, W); PixelShuffle makes larger images of more channels, PixelUnshuffle the
// reverse.
#define GRADTIDY_REARRANGEMENT(Name, function)                                                     \
  namespace functional {                                                                           \
  using Name##FuncOptions = Name##Options;                                                         \
  Tensor function(const Tensor &input, const Name##FuncOptions &options);                          \
  }                                                                                                \
  class Name##Impl : public Stateless<Name##Impl, Name##Options> {                                 \
  public:                                                                                          \
    using Stateless::Stateless;                                                                    \
    void pretty_print(std::ostream &stream) const override;                                        \
    Tensor forward(const Tensor &input) { return functional::function(input, options); }           \
  };                                                                                               \
  TORCH_MODULE(Name);
GRADTIDY_REARRANGEMENT(Fold, fold)
GRADTIDY_REARRANGEMENT(Unfold, unfold)
GRADTIDY_REARRANGEMENT(PixelShuffle, pixel_shuffle)
GRADTIDY_REARRANGEMENT(PixelUnshuffle, pixel_unshuffle)
#undef GRADTIDY_REARRANGEMENT

} // namespace gradtidy::runtime::nn
