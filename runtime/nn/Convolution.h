// Convolutions over one, two and three dimensions: options, functional forms and modules.
#pragma once

#include "../core/ExpandingArray.h"
#include "../ops/Convolution.h"
#include "Module.h"
#include "Words.h"

namespace gradtidy::runtime::nn {

template <std::size_t D>
using ConvPadding = std::variant<ExpandingArray<D>, enumtype::kValid, enumtype::kSame>;
using ConvPaddingMode =
    std::variant<enumtype::kZeros, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;

template <std::size_t D> struct ConvOptions {
  using padding_t = ConvPadding<D>;
  using padding_mode_t = ConvPaddingMode;
  ConvOptions(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TORCH_ARG(int64_t, in_channels);
  TORCH_ARG(int64_t, out_channels);
  TORCH_ARG(ExpandingArray<D>, kernel_size);
  TORCH_ARG(ExpandingArray<D>, stride) = 1;
  TORCH_ARG(padding_t, padding) = 0;
  TORCH_ARG(ExpandingArray<D>, dilation) = 1;
  TORCH_ARG(int64_t, groups) = 1;
  TORCH_ARG(bool, bias) = true;
  TORCH_ARG(padding_mode_t, padding_mode) = kZeros;

public:
  auto padding(std::initializer_list<int64_t> sizes) { return padding(IntArrayRef{sizes}); }
};
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;

template <std::size_t D> struct ConvTransposeOptions {
  using padding_mode_t = ConvPaddingMode;
  ConvTransposeOptions(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TORCH_ARG(int64_t, in_channels);
  TORCH_ARG(int64_t, out_channels);
  TORCH_ARG(ExpandingArray<D>, kernel_size);
  TORCH_ARG(ExpandingArray<D>, stride) = 1;
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(ExpandingArray<D>, output_padding) = 0;
  TORCH_ARG(int64_t, groups) = 1;
  TORCH_ARG(bool, bias) = true;
  TORCH_ARG(ExpandingArray<D>, dilation) = 1;
  TORCH_ARG(padding_mode_t, padding_mode) = kZeros;
};
using ConvTranspose1dOptions = ConvTransposeOptions<1>;
using ConvTranspose2dOptions = ConvTransposeOptions<2>;
using ConvTranspose3dOptions = ConvTransposeOptions<3>;

namespace functional {

template <std::size_t D> struct ConvFuncOptions {
  using padding_t = ConvPadding<D>;
  TORCH_ARG(Tensor, bias) = {};
  TORCH_ARG(ExpandingArray<D>, stride) = 1;
  TORCH_ARG(padding_t, padding) = 0;
  TORCH_ARG(ExpandingArray<D>, dilation) = 1;
  TORCH_ARG(int64_t, groups) = 1;

public:
  auto padding(std::initializer_list<int64_t> sizes) { return padding(IntArrayRef{sizes}); }
};
using Conv1dFuncOptions = ConvFuncOptions<1>;
using Conv2dFuncOptions = ConvFuncOptions<2>;
using Conv3dFuncOptions = ConvFuncOptions<3>;

template <std::size_t D> struct ConvTransposeFuncOptions {
  TORCH_ARG(Tensor, bias) = {};
  TORCH_ARG(ExpandingArray<D>, stride) = 1;
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(ExpandingArray<D>, output_padding) = 0;
  TORCH_ARG(int64_t, groups) = 1;
  TORCH_ARG(ExpandingArray<D>, dilation) = 1;
};
using ConvTranspose1dFuncOptions = ConvTransposeFuncOptions<1>;
using ConvTranspose2dFuncOptions = ConvTransposeFuncOptions<2>;
using ConvTranspose3dFuncOptions = ConvTransposeFuncOptions<3>;

#define GRADTIDY_CONVOLUTION(D)                                                                    \
  Tensor conv##D##d(const Tensor &input, const Tensor &weight,                                     \
                    const Conv##D##dFuncOptions &options = {});                                    \
  Tensor conv_transpose##D##d(const Tensor &input, const Tensor &weight,                           \
                              const ConvTranspose##D##dFuncOptions &options = {});
GRADTIDY_CONVOLUTION(1)
GRADTIDY_CONVOLUTION(2)
GRADTIDY_CONVOLUTION(3)
#undef GRADTIDY_CONVOLUTION

} // namespace functional

/// weight (out_channels, in_channels / groups, kernel...) and bias (out_channels), drawn as
/// LibTorch draws them: uniform with the bound 1 / sqrt(elements that reach one output).
template <std::size_t D, class Derived> class ConvImpl : public Cloneable<Derived> {
public:
  ConvImpl(int64_t in, int64_t out, ExpandingArray<D> kernel)
      : ConvImpl(ConvOptions<D>(in, out, kernel)) {}
  explicit ConvImpl(const ConvOptions<D> &options) : options(options) { ConvImpl::reset(); }
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input);

  ConvOptions<D> options;
  Tensor weight;
  Tensor bias;
};

/// weight (in_channels, out_channels / groups, kernel...). Among the sizes that a convolution maps
/// to the input's, `outputSize` chooses one; without it the options' output padding does.
template <std::size_t D, class Derived> class ConvTransposeImpl : public Cloneable<Derived> {
public:
  ConvTransposeImpl(int64_t in, int64_t out, ExpandingArray<D> kernel)
      : ConvTransposeImpl(ConvTransposeOptions<D>(in, out, kernel)) {}
  explicit ConvTransposeImpl(const ConvTransposeOptions<D> &options) : options(options) {
    ConvTransposeImpl::reset();
  }
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const optional<IntArrayRef> &outputSize = nullopt);

  ConvTransposeOptions<D> options;
  Tensor weight;
  Tensor bias;

protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(optional<IntArrayRef>())})
};

#define GRADTIDY_CONVOLUTION(D)                                                                    \
  class Conv##D##dImpl : public ConvImpl<D, Conv##D##dImpl> {                                      \
  public:                                                                                          \
    using ConvImpl::ConvImpl;                                                                      \
  };                                                                                               \
  TORCH_MODULE(Conv##D##d);                                                                        \
  class ConvTranspose##D##dImpl : public ConvTransposeImpl<D, ConvTranspose##D##dImpl> {           \
  public:                                                                                          \
    using ConvTransposeImpl::ConvTransposeImpl;                                                    \
  };                                                                                               \
  TORCH_MODULE(ConvTranspose##D##d);
GRADTIDY_CONVOLUTION(1)
GRADTIDY_CONVOLUTION(2)
GRADTIDY_CONVOLUTION(3)
#undef GRADTIDY_CONVOLUTION

} // namespace gradtidy::runtime::nn
