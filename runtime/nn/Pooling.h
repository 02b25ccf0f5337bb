// Pooling over one, two and three dimensions: options, functional forms and modules.
#pragma once

#include "../core/ExpandingArray.h"
#include "../ops/Pooling.h"
#include "Module.h"

namespace gradtidy::runtime::nn {

template <std::size_t D> struct AvgPoolOptions {
  AvgPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  TORCH_ARG(ExpandingArray<D>, kernel_size);
  TORCH_ARG(ExpandingArray<D>, stride);
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(bool, ceil_mode) = false;
  TORCH_ARG(bool, count_include_pad) = true;
  TORCH_ARG(optional<int64_t>, divisor_override) = nullopt;
};

template <std::size_t D> struct MaxPoolOptions {
  MaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  TORCH_ARG(ExpandingArray<D>, kernel_size);
  TORCH_ARG(ExpandingArray<D>, stride);
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(ExpandingArray<D>, dilation) = 1;
  TORCH_ARG(bool, ceil_mode) = false;
};

template <std::size_t D> struct MaxUnpoolOptions {
  MaxUnpoolOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  TORCH_ARG(ExpandingArray<D>, kernel_size);
  TORCH_ARG(ExpandingArray<D>, stride);
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
};

/// The mean of the p-th powers of a window, times its size, to the power 1/p.
template <std::size_t D> struct LPPoolOptions {
  LPPoolOptions(double norm_type, ExpandingArray<D> kernel_size)
      : norm_type_(norm_type), kernel_size_(kernel_size), stride_(kernel_size) {}
  TORCH_ARG(double, norm_type);
  TORCH_ARG(ExpandingArray<D>, kernel_size);
  TORCH_ARG(ExpandingArray<D>, stride);
  TORCH_ARG(bool, ceil_mode) = false;
};

template <class Size> struct AdaptivePoolOptions {
  AdaptivePoolOptions(Size output_size) : output_size_(output_size) {}
  TORCH_ARG(Size, output_size);
};

namespace functional {
template <std::size_t D> struct MaxUnpoolFuncOptions {
  MaxUnpoolFuncOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  TORCH_ARG(ExpandingArray<D>, kernel_size);
  TORCH_ARG(ExpandingArray<D>, stride);
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(optional<std::vector<int64_t>>, output_size) = nullopt;
};
} // namespace functional

namespace functional {
template <std::size_t D> struct Pooling;
} // namespace functional

#define GRADTIDY_POOLING(D, AdaptiveSize)                                                          \
  using AvgPool##D##dOptions = AvgPoolOptions<D>;                                                  \
  using MaxPool##D##dOptions = MaxPoolOptions<D>;                                                  \
  using MaxUnpool##D##dOptions = MaxUnpoolOptions<D>;                                              \
  using LPPool##D##dOptions = LPPoolOptions<D>;                                                    \
  using AdaptiveAvgPool##D##dOptions = AdaptivePoolOptions<AdaptiveSize>;                          \
  using AdaptiveMaxPool##D##dOptions = AdaptivePoolOptions<AdaptiveSize>;                          \
  namespace functional {                                                                           \
  using AvgPool##D##dFuncOptions = AvgPool##D##dOptions;                                           \
  using MaxPool##D##dFuncOptions = MaxPool##D##dOptions;                                           \
  using MaxUnpool##D##dFuncOptions = MaxUnpoolFuncOptions<D>;                                      \
  using LPPool##D##dFuncOptions = LPPool##D##dOptions;                                             \
  using AdaptiveAvgPool##D##dFuncOptions = AdaptiveAvgPool##D##dOptions;                           \
  using AdaptiveMaxPool##D##dFuncOptions = AdaptiveMaxPool##D##dOptions;                           \
  Tensor avg_pool##D##d(const Tensor &input, const AvgPool##D##dFuncOptions &options);             \
  Tensor max_pool##D##d(const Tensor &input, const MaxPool##D##dFuncOptions &options);             \
  std::tuple<Tensor, Tensor> max_pool##D##d_with_indices(const Tensor &input,                      \
                                                         const MaxPool##D##dFuncOptions &options); \
  Tensor max_unpool##D##d(const Tensor &input, const Tensor &indices,                              \
                          const MaxUnpool##D##dFuncOptions &options);                              \
  Tensor lp_pool##D##d(const Tensor &input, const LPPool##D##dFuncOptions &options);               \
  Tensor adaptive_avg_pool##D##d(const Tensor &input,                                              \
                                 const AdaptiveAvgPool##D##dFuncOptions &options);                 \
  Tensor adaptive_max_pool##D##d(const Tensor &input,                                              \
                                 const AdaptiveMaxPool##D##dFuncOptions &options);                 \
  std::tuple<Tensor, Tensor>                                                                       \
  adaptive_max_pool##D##d_with_indices(const Tensor &input,                                        \
                                       const AdaptiveMaxPool##D##dFuncOptions &options);           \
  /* The same by number, for the modules below. */                                                 \
  template <> struct Pooling<D> {                                                                  \
    using AdaptiveOptions = AdaptivePoolOptions<AdaptiveSize>;                                     \
    static constexpr auto avg = avg_pool##D##d;                                                    \
    static constexpr auto max = max_pool##D##d;                                                    \
    static constexpr auto maxWithIndices = max_pool##D##d_with_indices;                            \
    static constexpr auto unpool = max_unpool##D##d;                                               \
    static constexpr auto lp = lp_pool##D##d;                                                      \
    static constexpr auto adaptiveAvg = adaptive_avg_pool##D##d;                                   \
    static constexpr auto adaptiveMax = adaptive_max_pool##D##d;                                   \
    static constexpr auto adaptiveMaxWithIndices = adaptive_max_pool##D##d_with_indices;           \
  };                                                                                               \
  }
GRADTIDY_POOLING(1, ExpandingArray<1>)
GRADTIDY_POOLING(2, ExpandingArrayWithOptionalElem<2>)
GRADTIDY_POOLING(3, ExpandingArrayWithOptionalElem<3>)
#undef GRADTIDY_POOLING

template <std::size_t D, class Derived>
class AvgPoolImpl : public Stateless<Derived, AvgPoolOptions<D>> {
public:
  using Stateless<Derived, AvgPoolOptions<D>>::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return functional::Pooling<D>::avg(input, this->options); }
};

template <std::size_t D, class Derived>
class MaxPoolImpl : public Stateless<Derived, MaxPoolOptions<D>> {
public:
  using Stateless<Derived, MaxPoolOptions<D>>::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return functional::Pooling<D>::max(input, this->options); }
  /// The maxima and their places, for MaxUnpool.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor &input) {
    return functional::Pooling<D>::maxWithIndices(input, this->options);
  }
};

template <std::size_t D, class Derived>
class MaxUnpoolImpl : public Stateless<Derived, MaxUnpoolOptions<D>> {
public:
  using Stateless<Derived, MaxUnpoolOptions<D>>::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const Tensor &indices,
                 const optional<std::vector<int64_t>> &outputSize = nullopt) {
    auto options = functional::MaxUnpoolFuncOptions<D>(this->options.kernel_size());
    options.stride(this->options.stride()).padding(this->options.padding());
    return functional::Pooling<D>::unpool(input, indices, options.output_size(outputSize));
  }

protected:
  FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(optional<std::vector<int64_t>>())})
};

template <std::size_t D, class Derived>
class LPPoolImpl : public Stateless<Derived, LPPoolOptions<D>> {
public:
  using Stateless<Derived, LPPoolOptions<D>>::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return functional::Pooling<D>::lp(input, this->options); }
};

template <std::size_t D, class Derived>
class AdaptiveAvgPoolImpl
    : public Stateless<Derived, typename functional::Pooling<D>::AdaptiveOptions> {
public:
  using Stateless<Derived, typename functional::Pooling<D>::AdaptiveOptions>::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) {
    return functional::Pooling<D>::adaptiveAvg(input, this->options);
  }
};

template <std::size_t D, class Derived>
class AdaptiveMaxPoolImpl
    : public Stateless<Derived, typename functional::Pooling<D>::AdaptiveOptions> {
public:
  using Stateless<Derived, typename functional::Pooling<D>::AdaptiveOptions>::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) {
    return functional::Pooling<D>::adaptiveMax(input, this->options);
  }
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor &input) {
    return functional::Pooling<D>::adaptiveMaxWithIndices(input, this->options);
  }
};

#define GRADTIDY_POOL(Kind, D)                                                                     \
  class Kind##D##dImpl : public Kind##Impl<D, Kind##D##dImpl> {                                    \
  public:                                                                                          \
    using Kind##Impl<D, Kind##D##dImpl>::Kind##Impl;                                               \
  };                                                                                               \
  TORCH_MODULE(Kind##D##d);
#define GRADTIDY_POOLS(D)                                                                          \
  GRADTIDY_POOL(AvgPool, D)                                                                        \
  GRADTIDY_POOL(MaxPool, D)                                                                        \
  GRADTIDY_POOL(MaxUnpool, D)                                                                      \
  GRADTIDY_POOL(LPPool, D)                                                                         \
  GRADTIDY_POOL(AdaptiveAvgPool, D)                                                                \
  GRADTIDY_POOL(AdaptiveMaxPool, D)
GRADTIDY_POOLS(1)
GRADTIDY_POOLS(2)
GRADTIDY_POOLS(3)
#undef GRADTIDY_POOLS
#undef GRADTIDY_POOL

} // namespace gradtidy::runtime::nn
