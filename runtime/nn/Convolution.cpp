#include "Convolution.h"
#include "../ops/Factories.h"
#include "../ops/Padding.h"
#include "Init.h"

#include <cmath>
#include <ostream>

namespace gradtidy::runtime::nn {
namespace functional {
namespace {

/// Calls `call` with sizes or with the word for them, as the padding was given.
template <std::size_t D, class Call> Tensor withPadding(const ConvPadding<D> &padding, Call call) {
  if (std::holds_alternative<enumtype::kValid>(padding))
    return call("valid");
  if (std::holds_alternative<enumtype::kSame>(padding))
    return call("same");
  return call(IntArrayRef(std::get<ExpandingArray<D>>(padding)));
}

} // namespace

#define GRADTIDY_CONVOLUTION(D)                                                                    \
  Tensor conv##D##d(const Tensor &input, const Tensor &weight,                                     \
                    const Conv##D##dFuncOptions &options) {                                        \
    return withPadding<D>(options.padding(), [&](auto padding) {                                   \
      return runtime::conv##D##d(input, weight, options.bias(), options.stride(), padding,         \
                                 options.dilation(), options.groups());                            \
    });                                                                                            \
  }                                                                                                \
  Tensor conv_transpose##D##d(const Tensor &input, const Tensor &weight,                           \
                              const ConvTranspose##D##dFuncOptions &options) {                     \
    return runtime::conv_transpose##D##d(input, weight, options.bias(), options.stride(),          \
                                         options.padding(), options.output_padding(),              \
                                         options.groups(), options.dilation());                    \
  }
GRADTIDY_CONVOLUTION(1)
GRADTIDY_CONVOLUTION(2)
GRADTIDY_CONVOLUTION(3)
#undef GRADTIDY_CONVOLUTION

} // namespace functional

namespace {

template <std::size_t D, class Options>
Tensor apply(const Tensor &input, const Tensor &weight, const Options &options) {
  if constexpr (D == 1)
    return functional::conv1d(input, weight, options);
  else if constexpr (D == 2)
    return functional::conv2d(input, weight, options);
  else
    return functional::conv3d(input, weight, options);
}

template <std::size_t D, class Options>
Tensor applyTransposed(const Tensor &input, const Tensor &weight, const Options &options) {
  if constexpr (D == 1)
    return functional::conv_transpose1d(input, weight, options);
  else if constexpr (D == 2)
    return functional::conv_transpose2d(input, weight, options);
  else
    return functional::conv_transpose3d(input, weight, options);
}

std::string modeName(const ConvPaddingMode &mode) {
  if (std::holds_alternative<enumtype::kReflect>(mode))
    return "reflect";
  return std::holds_alternative<enumtype::kReplicate>(mode) ? "replicate" : "circular";
}

/// Makes and draws weight (first, second / groups, kernel...) and bias of a module.
template <class Convolution>
void makeParameters(Convolution &module, int64_t first, int64_t second) {
  const auto &options = module.options;
  TORCH_CHECK(options.in_channels() > 0 && options.groups() > 0 && options.out_channels() > 0,
              "in_channels, groups and out_channels must be a positive integer.");
  TORCH_CHECK(options.in_channels() % options.groups() == 0,
              "in_channels must be divisible by groups");
  TORCH_CHECK(options.out_channels() % options.groups() == 0,
              "out_channels must be divisible by groups");
  std::vector<int64_t> shape{first, second / options.groups()};
  shape.insert(shape.end(), options.kernel_size()->begin(), options.kernel_size()->end());
  module.weight = module.register_parameter("weight", runtime::empty(shape));
  module.bias = options.bias() ? module.register_parameter("bias", empty({options.out_channels()}))
                               : module.register_parameter("bias", {}, false);
  module.reset_parameters();
}

template <class Convolution> void drawParameters(Convolution &module) {
  init::kaiming_uniform_(module.weight, std::sqrt(5));
  if (!module.bias.defined())
    return;
  int64_t reach = module.weight.numel() / module.weight.size(0);
  double bound = 1 / std::sqrt(static_cast<double>(reach));
  init::uniform_(module.bias, -bound, bound);
}

/// Prints `name` and the array unless all its entries are `usual`.
template <std::size_t D>
void printUnless(std::ostream &stream, const char *name, const ExpandingArray<D> &array,
                 int64_t usual) {
  if (*array != *ExpandingArray<D>(usual))
    stream << ", " << name << "=" << array;
}

template <class Options> void printTail(std::ostream &stream, const Options &options) {
  if (options.groups() != 1)
    stream << ", groups=" << options.groups();
  if (!options.bias())
    stream << ", bias=false";
  if (!std::holds_alternative<enumtype::kZeros>(options.padding_mode()))
    stream << ", padding_mode=" << enumtype::get_enum_name(options.padding_mode());
  stream << ")";
}

} // namespace

template <std::size_t D, class Derived> void ConvImpl<D, Derived>::reset() {
  makeParameters(*this, options.out_channels(), options.in_channels());
}
template <std::size_t D, class Derived> void ConvImpl<D, Derived>::reset_parameters() {
  drawParameters(*this);
}

template <std::size_t D, class Derived>
void ConvImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Conv" << D << "d(" << options.in_channels() << ", "
         << options.out_channels() << ", kernel_size=" << options.kernel_size()
         << ", stride=" << options.stride();
  if (std::holds_alternative<enumtype::kValid>(options.padding()))
    stream << ", padding='valid'";
  else if (std::holds_alternative<enumtype::kSame>(options.padding()))
    stream << ", padding='same'";
  else
    printUnless(stream, "padding", std::get<ExpandingArray<D>>(options.padding()), 0);
  printUnless(stream, "dilation", options.dilation(), 1);
  printTail(stream, options);
}

template <std::size_t D, class Derived> Tensor ConvImpl<D, Derived>::forward(const Tensor &input) {
  auto call = functional::ConvFuncOptions<D>()
                  .bias(bias)
                  .stride(options.stride())
                  .padding(options.padding())
                  .dilation(options.dilation())
                  .groups(options.groups());
  if (std::holds_alternative<enumtype::kZeros>(options.padding_mode()))
    return apply<D>(input, weight, call);
  TORCH_CHECK(std::holds_alternative<ExpandingArray<D>>(options.padding()),
              "padding='same' and 'valid' go with padding_mode=kZeros only");
  std::vector<int64_t> pads;
  for (std::size_t d = D; d-- > 0;)
    pads.insert(pads.end(), 2, std::get<ExpandingArray<D>>(options.padding())->at(d));
  return apply<D>(pad(input, pads, modeName(options.padding_mode())), weight, call.padding(0));
}

template <std::size_t D, class Derived> void ConvTransposeImpl<D, Derived>::reset() {
  makeParameters(*this, options.in_channels(), options.out_channels());
}
template <std::size_t D, class Derived> void ConvTransposeImpl<D, Derived>::reset_parameters() {
  drawParameters(*this);
}

template <std::size_t D, class Derived>
void ConvTransposeImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::ConvTranspose" << D << "d(" << options.in_channels() << ", "
         << options.out_channels() << ", kernel_size=" << options.kernel_size()
         << ", stride=" << options.stride();
  printUnless(stream, "padding", options.padding(), 0);
  printUnless(stream, "dilation", options.dilation(), 1);
  printUnless(stream, "output_padding", options.output_padding(), 0);
  printTail(stream, options);
}

template <std::size_t D, class Derived>
Tensor ConvTransposeImpl<D, Derived>::forward(const Tensor &input,
                                              const optional<IntArrayRef> &outputSize) {
  TORCH_CHECK(std::holds_alternative<enumtype::kZeros>(options.padding_mode()),
              "Only `zeros` padding mode is supported for ConvTranspose", D, "d");
  ExpandingArray<D> extra = options.output_padding();
  if (outputSize) {
    IntArrayRef wanted = outputSize->slice(outputSize->size() - D);
    for (std::size_t d = 0; d < D; ++d) {
      int64_t stride = options.stride()->at(d),
              in = input.size(static_cast<int64_t>(d) - int64_t(D));
      int64_t least = (in - 1) * stride - 2 * options.padding()->at(d) +
                      options.dilation()->at(d) * (options.kernel_size()->at(d) - 1) + 1;
      TORCH_CHECK(wanted[d] >= least && wanted[d] < least + stride, "requested an output size of ",
                  toText(*outputSize), ", but valid sizes range from ", least, " to ",
                  least + stride - 1, " at dimension ", d);
      extra->at(d) = wanted[d] - least;
    }
  }
  return applyTransposed<D>(input, weight,
                            functional::ConvTransposeFuncOptions<D>()
                                .bias(bias)
                                .stride(options.stride())
                                .padding(options.padding())
                                .output_padding(extra)
                                .groups(options.groups())
                                .dilation(options.dilation()));
}

template class ConvImpl<1, Conv1dImpl>;
template class ConvImpl<2, Conv2dImpl>;
template class ConvImpl<3, Conv3dImpl>;
template class ConvTransposeImpl<1, ConvTranspose1dImpl>;
template class ConvTransposeImpl<2, ConvTranspose2dImpl>;
template class ConvTransposeImpl<3, ConvTranspose3dImpl>;

} // namespace gradtidy::runtime::nn
