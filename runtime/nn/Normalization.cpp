#include "Normalization.h"
#include "../ops/Arithmetic.h"
#include "../ops/Factories.h"
#include "../ops/Padding.h"
#include "../ops/Reductions.h"

#include <ostream>

namespace gradtidy::runtime::nn {
namespace functional {

Tensor batch_norm(const Tensor &input, const Tensor &runningMean, const Tensor &runningVar,
                  const BatchNormFuncOptions &options) {
  return runtime::batch_norm(input, options.weight(), options.bias(), runningMean, runningVar,
                             options.training(), options.momentum().value_or(0), options.eps());
}

Tensor instance_norm(const Tensor &input, const InstanceNormFuncOptions &options) {
  return runtime::instance_norm(input, options.weight(), options.bias(), options.running_mean(),
                                options.running_var(), options.use_input_stats(),
                                options.momentum(), options.eps());
}

Tensor layer_norm(const Tensor &input, const LayerNormFuncOptions &options) {
  return runtime::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                             options.eps());
}

Tensor group_norm(const Tensor &input, const GroupNormFuncOptions &options) {
  return runtime::group_norm(input, options.num_groups(), options.weight(), options.bias(),
                             options.eps());
}

Tensor local_response_norm(const Tensor &input, const LocalResponseNormFuncOptions &options) {
  TORCH_CHECK(input.dim() == 3 || input.dim() == 4,
              "Expected 3D or 4D input to local_response_norm, but got ", input.dim(), "D");
  int64_t size = options.size();
  std::vector<int64_t> pads(static_cast<std::size_t>(input.dim() - 2) * 2, 0);
  pads.insert(pads.end(), {size / 2, (size - 1) / 2});
  Tensor mean = constant_pad_nd(input * input, pads, 0).unfold(1, size, 1).mean(-1);
  return input / (mean * options.alpha() + options.k()).pow(options.beta());
}

Tensor normalize(const Tensor &input, const NormalizeFuncOptions &options) {
  return input / input.norm(options.p(), options.dim(), true).clamp_min(options.eps());
}

} // namespace functional

namespace {

const char *word(bool value) { return value ? "true" : "false"; }

template <class Norm> void makeAffine(Norm &norm, IntArrayRef shape, bool affine) {
  norm.weight = norm.register_parameter("weight", affine ? ones(shape) : Tensor(), affine);
  norm.bias = norm.register_parameter("bias", affine ? zeros(shape) : Tensor(), affine);
}

template <class Norm> void resetAffine(Norm &norm) {
  NoGradGuard guard;
  if (norm.weight.defined()) {
    norm.weight.fill_(1);
    norm.bias.zero_();
  }
}

void checkInput(const Tensor &input, int64_t dims) {
  if (dims == 1)
    TORCH_CHECK(input.dim() == 2 || input.dim() == 3, "expected 2D or 3D input (got ", input.dim(),
                "D input)");
  else
    TORCH_CHECK(input.dim() == dims + 2, "expected ", dims + 2, "D input (got ", input.dim(),
                "D input)");
}

} // namespace

template <class Derived, class OptionsType> void RunningNorm<Derived, OptionsType>::reset() {
  int64_t n = options.num_features();
  makeAffine(*this, n, options.affine());
  bool track = options.track_running_stats();
  running_mean = this->register_buffer("running_mean", track ? zeros(n) : Tensor());
  running_var = this->register_buffer("running_var", track ? ones(n) : Tensor());
  num_batches_tracked =
      this->register_buffer("num_batches_tracked", track ? tensor(0, kLong) : Tensor());
}

template <class Derived, class OptionsType>
void RunningNorm<Derived, OptionsType>::reset_parameters() {
  reset_running_stats();
  resetAffine(*this);
}

template <class Derived, class OptionsType>
void RunningNorm<Derived, OptionsType>::reset_running_stats() {
  if (!running_mean.defined())
    return;
  running_mean.zero_();
  running_var.fill_(1);
  num_batches_tracked.zero_();
}

template <class Derived, class OptionsType>
void RunningNorm<Derived, OptionsType>::print(std::ostream &stream, const char *name,
                                              double momentum) const {
  stream << "torch::nn::" << name << "d(" << options.num_features() << ", eps=" << options.eps()
         << ", momentum=" << momentum << ", affine=" << word(options.affine())
         << ", track_running_stats=" << word(options.track_running_stats()) << ")";
}

template <std::size_t D, class Derived>
Tensor BatchNormImpl<D, Derived>::forward(const Tensor &input) {
  checkInput(input, D);
  const BatchNormOptions &options = this->options;
  int64_t channels = input.size(1);
  TORCH_CHECK(!this->is_training() || channels == 0 || input.numel() != channels,
              "Expected more than 1 value per channel when training, got input size ",
              toText(input.sizes()));
  double momentum = options.momentum().value_or(0.0);
  bool track = options.track_running_stats(), training = this->is_training();
  if (training && track) {
    this->num_batches_tracked += 1;
    if (!options.momentum())
      momentum = 1.0 / this->num_batches_tracked.template item<double>();
  }
  return batch_norm(input, this->weight, this->bias, this->running_mean, this->running_var,
                    training || !track, momentum, options.eps());
}

template <std::size_t D, class Derived>
void BatchNormImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  this->print(stream, concat("BatchNorm", D).c_str(), this->options.momentum().value_or(0));
}

template <std::size_t D, class Derived>
Tensor InstanceNormImpl<D, Derived>::forward(const Tensor &input) {
  checkInput(input, D);
  const InstanceNormOptions &options = this->options;
  return instance_norm(input, this->weight, this->bias, this->running_mean, this->running_var,
                       this->is_training() || !options.track_running_stats(), options.momentum(),
                       options.eps());
}

template <std::size_t D, class Derived>
void InstanceNormImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  this->print(stream, concat("InstanceNorm", D).c_str(), this->options.momentum());
}

template class BatchNormImpl<1, BatchNorm1dImpl>;
template class BatchNormImpl<2, BatchNorm2dImpl>;
template class BatchNormImpl<3, BatchNorm3dImpl>;
template class InstanceNormImpl<1, InstanceNorm1dImpl>;
template class InstanceNormImpl<2, InstanceNorm2dImpl>;
template class InstanceNormImpl<3, InstanceNorm3dImpl>;

LayerNormImpl::LayerNormImpl(LayerNormOptions options) : options(std::move(options)) { reset(); }
void LayerNormImpl::reset() {
  makeAffine(*this, options.normalized_shape(), options.elementwise_affine());
}
void LayerNormImpl::reset_parameters() { resetAffine(*this); }
void LayerNormImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::LayerNorm(" << IntArrayRef(options.normalized_shape())
         << ", eps=" << options.eps()
         << ", elementwise_affine=" << word(options.elementwise_affine()) << ")";
}
Tensor LayerNormImpl::forward(const Tensor &input) {
  return layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
}

GroupNormImpl::GroupNormImpl(const GroupNormOptions &options) : options(options) { reset(); }
void GroupNormImpl::reset() { makeAffine(*this, options.num_channels(), options.affine()); }
void GroupNormImpl::reset_parameters() { resetAffine(*this); }
void GroupNormImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::GroupNorm(" << options.num_groups() << ", " << options.num_channels()
         << ", eps=" << options.eps() << ", affine=" << word(options.affine()) << ")";
}
Tensor GroupNormImpl::forward(const Tensor &input) {
  return group_norm(input, options.num_groups(), weight, bias, options.eps());
}

void LocalResponseNormImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::LocalResponseNorm(" << options.size() << ", alpha=" << options.alpha()
         << ", beta=" << options.beta() << ", k=" << options.k() << ")";
}

} // namespace gradtidy::runtime::nn
