// Normalisation layers: options, functional forms and modules.
#pragma once

#include "../ops/Normalization.h"
#include "Module.h"

namespace gradtidy::runtime::nn {

struct BatchNormOptions {
  BatchNormOptions(int64_t num_features) : num_features_(num_features) {}
  TORCH_ARG(int64_t, num_features);
  TORCH_ARG(double, eps) = 1e-5;
  /// No value: the running statistics are cumulative averages.
  TORCH_ARG(optional<double>, momentum) = 0.1;
  TORCH_ARG(bool, affine) = true;
  TORCH_ARG(bool, track_running_stats) = true;
};
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;

struct InstanceNormOptions {
  InstanceNormOptions(int64_t num_features) : num_features_(num_features) {}
  TORCH_ARG(int64_t, num_features);
  TORCH_ARG(double, eps) = 1e-5;
  TORCH_ARG(double, momentum) = 0.1;
  TORCH_ARG(bool, affine) = false;
  TORCH_ARG(bool, track_running_stats) = false;
};
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;

struct LayerNormOptions {
  LayerNormOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TORCH_ARG(std::vector<int64_t>, normalized_shape);
  TORCH_ARG(double, eps) = 1e-5;
  TORCH_ARG(bool, elementwise_affine) = true;
};

struct GroupNormOptions {
  GroupNormOptions(int64_t num_groups, int64_t num_channels)
      : num_groups_(num_groups), num_channels_(num_channels) {}
  TORCH_ARG(int64_t, num_groups);
  TORCH_ARG(int64_t, num_channels);
  TORCH_ARG(double, eps) = 1e-5;
  TORCH_ARG(bool, affine) = true;
};

struct LocalResponseNormOptions {
  LocalResponseNormOptions(int64_t size) : size_(size) {}
  TORCH_ARG(int64_t, size);
  TORCH_ARG(double, alpha) = 1e-4;
  TORCH_ARG(double, beta) = 0.75;
  TORCH_ARG(double, k) = 1;
};

namespace functional {

struct BatchNormFuncOptions {
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(Tensor, bias) = {};
  TORCH_ARG(bool, training) = false;
  TORCH_ARG(optional<double>, momentum) = 0.1;
  TORCH_ARG(double, eps) = 1e-5;
};

struct InstanceNormFuncOptions {
  TORCH_ARG(Tensor, running_mean) = {};
  TORCH_ARG(Tensor, running_var) = {};
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(Tensor, bias) = {};
  TORCH_ARG(bool, use_input_stats) = true;
  TORCH_ARG(double, momentum) = 0.1;
  TORCH_ARG(double, eps) = 1e-5;
};

struct LayerNormFuncOptions {
  LayerNormFuncOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TORCH_ARG(std::vector<int64_t>, normalized_shape);
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(Tensor, bias) = {};
  TORCH_ARG(double, eps) = 1e-5;
};

struct GroupNormFuncOptions {
  GroupNormFuncOptions(int64_t num_groups) : num_groups_(num_groups) {}
  TORCH_ARG(int64_t, num_groups);
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(Tensor, bias) = {};
  TORCH_ARG(double, eps) = 1e-5;
};

struct NormalizeFuncOptions {
  TORCH_ARG(double, p) = 2.0;
  TORCH_ARG(int64_t, dim) = 1;
  TORCH_ARG(double, eps) = 1e-12;
};

using LocalResponseNormFuncOptions = LocalResponseNormOptions;

Tensor batch_norm(const Tensor &input, const Tensor &runningMean, const Tensor &runningVar,
                  const BatchNormFuncOptions &options = {});
Tensor instance_norm(const Tensor &input, const InstanceNormFuncOptions &options = {});
Tensor layer_norm(const Tensor &input, const LayerNormFuncOptions &options);
Tensor group_norm(const Tensor &input, const GroupNormFuncOptions &options);
/// Divided by the mean square of neighbouring channels: x / (k + alpha mean)^beta.
Tensor local_response_norm(const Tensor &input, const LocalResponseNormFuncOptions &options);
/// Divided by its norm along a dimension, which is taken as `eps` at least.
Tensor normalize(const Tensor &input, const NormalizeFuncOptions &options = {});

} // namespace functional

/// What batch and instance norm share: scale and shift, and running statistics as buffers.
template <class Derived, class OptionsType> class RunningNorm : public Cloneable<Derived> {
public:
  explicit RunningNorm(const OptionsType &options) : options(options) { RunningNorm::reset(); }
  void reset() override;
  void reset_parameters();
  void reset_running_stats();

  OptionsType options;
  Tensor weight;
  Tensor bias;
  Tensor running_mean;
  Tensor running_var;
  Tensor num_batches_tracked;

protected:
  void print(std::ostream &stream, const char *name, double momentum) const;
};

/// Inputs (N, C) or (N, C, L) for one dimension, (N, C, H, W) for two, (N, C, D, H, W) for three.
/// Training mode uses the statistics of the batch and moves the running ones, evaluation mode uses
/// the running ones.
template <std::size_t D, class Derived>
class BatchNormImpl : public RunningNorm<Derived, BatchNormOptions> {
public:
  BatchNormImpl(int64_t features) : BatchNormImpl(BatchNormOptions(features)) {}
  explicit BatchNormImpl(const BatchNormOptions &options)
      : RunningNorm<Derived, BatchNormOptions>(options) {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input);
};

template <std::size_t D, class Derived>
class InstanceNormImpl : public RunningNorm<Derived, InstanceNormOptions> {
public:
  InstanceNormImpl(int64_t features) : InstanceNormImpl(InstanceNormOptions(features)) {}
  explicit InstanceNormImpl(const InstanceNormOptions &options)
      : RunningNorm<Derived, InstanceNormOptions>(options) {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input);
};

#define GRADTIDY_NORM(Kind, D)                                                                     \
  class Kind##D##dImpl : public Kind##Impl<D, Kind##D##dImpl> {                                    \
  public:                                                                                          \
    using Kind##Impl<D, Kind##D##dImpl>::Kind##Impl;                                               \
  };                                                                                               \
  TORCH_MODULE(Kind##D##d);
GRADTIDY_NORM(BatchNorm, 1)
GRADTIDY_NORM(BatchNorm, 2)
GRADTIDY_NORM(BatchNorm, 3)
GRADTIDY_NORM(InstanceNorm, 1)
GRADTIDY_NORM(InstanceNorm, 2)
GRADTIDY_NORM(InstanceNorm, 3)
#undef GRADTIDY_NORM

class LayerNormImpl : public Cloneable<LayerNormImpl> {
public:
  LayerNormImpl(std::vector<int64_t> shape) : LayerNormImpl(LayerNormOptions(std::move(shape))) {}
  explicit LayerNormImpl(LayerNormOptions options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input);

  LayerNormOptions options;
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(LayerNorm);

class GroupNormImpl : public Cloneable<GroupNormImpl> {
public:
  GroupNormImpl(int64_t groups, int64_t channels)
      : GroupNormImpl(GroupNormOptions(groups, channels)) {}
  explicit GroupNormImpl(const GroupNormOptions &options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input);

  GroupNormOptions options;
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(GroupNorm);

class LocalResponseNormImpl : public Stateless<LocalResponseNormImpl, LocalResponseNormOptions> {
public:
  using Stateless::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return functional::local_response_norm(input, options); }
};
TORCH_MODULE(LocalResponseNorm);

} // namespace gradtidy::runtime::nn
