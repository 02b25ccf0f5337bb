#include "Pooling.h"
#include "../ops/Arithmetic.h"
#include "../ops/Pointwise.h"

#include <ostream>

namespace gradtidy::runtime::nn {
namespace functional {
namespace {

/// The adaptive sizes, those left open taken from the input.
template <std::size_t D>
std::vector<int64_t> sizesOf(const Tensor &, const ExpandingArray<D> &given) {
  return {given->begin(), given->end()};
}
template <std::size_t D>
std::vector<int64_t> sizesOf(const Tensor &input, const ExpandingArrayWithOptionalElem<D> &given) {
  std::vector<int64_t> sizes;
  for (std::size_t d = 0; d < D; ++d)
    sizes.push_back(given->at(d).value_or(input.size(static_cast<int64_t>(d) - int64_t(D))));
  return sizes;
}

template <std::size_t D>
std::vector<int64_t> unpooledSizes(const Tensor &input, const MaxUnpoolFuncOptions<D> &options) {
  if (options.output_size())
    return {options.output_size()->end() - D, options.output_size()->end()};
  std::vector<int64_t> sizes;
  for (std::size_t d = 0; d < D; ++d)
    sizes.push_back((input.size(static_cast<int64_t>(d) - int64_t(D)) - 1) *
                        options.stride()->at(d) +
                    options.kernel_size()->at(d) - 2 * options.padding()->at(d));
  return sizes;
}

template <std::size_t D> Tensor powerMean(const Tensor &input, const LPPoolOptions<D> &options) {
  double count = 1;
  for (int64_t size : *options.kernel_size())
    count *= static_cast<double>(size);
  Tensor mean =
      Pooling<D>::avg(input.pow(options.norm_type()), AvgPoolOptions<D>(options.kernel_size())
                                                          .stride(options.stride())
                                                          .ceil_mode(options.ceil_mode()));
  return (sign(mean) * relu(abs(mean))).mul(count).pow(1.0 / options.norm_type());
}

} // namespace

Tensor avg_pool1d(const Tensor &input, const AvgPool1dFuncOptions &options) {
  return runtime::avg_pool1d(input, options.kernel_size(), options.stride(), options.padding(),
                             options.ceil_mode(), options.count_include_pad());
}
Tensor avg_pool2d(const Tensor &input, const AvgPool2dFuncOptions &options) {
  return runtime::avg_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                             options.ceil_mode(), options.count_include_pad(),
                             options.divisor_override());
}
Tensor avg_pool3d(const Tensor &input, const AvgPool3dFuncOptions &options) {
  return runtime::avg_pool3d(input, options.kernel_size(), options.stride(), options.padding(),
                             options.ceil_mode(), options.count_include_pad(),
                             options.divisor_override());
}

#define GRADTIDY_POOLING(D)                                                                        \
  std::tuple<Tensor, Tensor> max_pool##D##d_with_indices(                                          \
      const Tensor &input, const MaxPool##D##dFuncOptions &options) {                              \
    return runtime::max_pool##D##d_with_indices(input, options.kernel_size(), options.stride(),    \
                                                options.padding(), options.dilation(),             \
                                                options.ceil_mode());                              \
  }                                                                                                \
  Tensor max_pool##D##d(const Tensor &input, const MaxPool##D##dFuncOptions &options) {            \
    return std::get<0>(functional::max_pool##D##d_with_indices(input, options));                   \
  }                                                                                                \
  Tensor max_unpool##D##d(const Tensor &input, const Tensor &indices,                              \
                          const MaxUnpool##D##dFuncOptions &options) {                             \
    return runtime::max_unpool##D##d(input, indices, unpooledSizes(input, options));               \
  }                                                                                                \
  Tensor lp_pool##D##d(const Tensor &input, const LPPool##D##dFuncOptions &options) {              \
    return powerMean(input, options);                                                              \
  }                                                                                                \
  Tensor adaptive_avg_pool##D##d(const Tensor &input,                                              \
                                 const AdaptiveAvgPool##D##dFuncOptions &options) {                \
    return runtime::adaptive_avg_pool##D##d(input, sizesOf(input, options.output_size()));         \
  }                                                                                                \
  std::tuple<Tensor, Tensor> adaptive_max_pool##D##d_with_indices(                                 \
      const Tensor &input, const AdaptiveMaxPool##D##dFuncOptions &options) {                      \
    return runtime::adaptive_max_pool##D##d(input, sizesOf(input, options.output_size()));         \
  }                                                                                                \
  Tensor adaptive_max_pool##D##d(const Tensor &input,                                              \
                                 const AdaptiveMaxPool##D##dFuncOptions &options) {                \
    return std::get<0>(functional::adaptive_max_pool##D##d_with_indices(input, options));          \
  }
GRADTIDY_POOLING(1)
GRADTIDY_POOLING(2)
GRADTIDY_POOLING(3)
#undef GRADTIDY_POOLING

} // namespace functional

namespace {

const char *word(bool value) { return value ? "true" : "false"; }

} // namespace

template <std::size_t D, class Derived>
void AvgPoolImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  const auto &options = this->options;
  stream << "torch::nn::AvgPool" << D << "d(kernel_size=" << options.kernel_size()
         << ", stride=" << options.stride() << ", padding=" << options.padding() << ")";
}

template <std::size_t D, class Derived>
void MaxPoolImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  const auto &options = this->options;
  stream << "torch::nn::MaxPool" << D << "d(kernel_size=" << options.kernel_size()
         << ", stride=" << options.stride() << ", padding=" << options.padding()
         << ", dilation=" << options.dilation() << ", ceil_mode=" << word(options.ceil_mode())
         << ")";
}

template <std::size_t D, class Derived>
void MaxUnpoolImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  const auto &options = this->options;
  stream << "torch::nn::MaxUnpool" << D << "d(kernel_size=" << options.kernel_size()
         << ", stride=" << options.stride() << ", padding=" << options.padding() << ")";
}

template <std::size_t D, class Derived>
void LPPoolImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  const auto &options = this->options;
  stream << "torch::nn::LPPool" << D << "d(norm_type=" << options.norm_type()
         << ", kernel_size=" << options.kernel_size() << ", stride=" << options.stride()
         << ", ceil_mode=" << word(options.ceil_mode()) << ")";
}

template <std::size_t D, class Derived>
void AdaptiveAvgPoolImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::AdaptiveAvgPool" << D << "d(output_size=" << this->options.output_size()
         << ")";
}

template <std::size_t D, class Derived>
void AdaptiveMaxPoolImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::AdaptiveMaxPool" << D << "d(output_size=" << this->options.output_size()
         << ")";
}

#define GRADTIDY_POOLS(D)                                                                          \
  template class AvgPoolImpl<D, AvgPool##D##dImpl>;                                                \
  template class MaxPoolImpl<D, MaxPool##D##dImpl>;                                                \
  template class MaxUnpoolImpl<D, MaxUnpool##D##dImpl>;                                            \
  template class LPPoolImpl<D, LPPool##D##dImpl>;                                                  \
  template class AdaptiveAvgPoolImpl<D, AdaptiveAvgPool##D##dImpl>;                                \
  template class AdaptiveMaxPoolImpl<D, AdaptiveMaxPool##D##dImpl>;
GRADTIDY_POOLS(1)
GRADTIDY_POOLS(2)
GRADTIDY_POOLS(3)
#undef GRADTIDY_POOLS

} // namespace gradtidy::runtime::nn
