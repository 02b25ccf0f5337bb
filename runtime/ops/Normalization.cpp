#include "Normalization.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "Views.h"
#include "kernels/Elementwise.h"

namespace gradtidy::runtime {
namespace {

struct Statistics {
  Tensor mean, variance;
};

Tensor deviationInverse(const Tensor &centred, IntArrayRef dims, double eps) {
  return ((centred * centred).mean(dims, true) + eps).rsqrt();
}

/// Mean 0 and variance 1 over `dims`, and the statistics that were there before.
Tensor standardise(const char *name, const Tensor &input, const DimVector &dims, double eps,
                   Statistics &statistics) {
  Tensor result, inverse;
  {
    NoGradGuard guard;
    statistics.mean = input.mean(dims, true);
    Tensor centred = input - statistics.mean;
    statistics.variance = (centred * centred).mean(dims, true);
    inverse = (statistics.variance + eps).rsqrt();
    result = centred.mul_(inverse);
  }
  return record(result, name, {input}, {input, result, inverse},
                [dims, eps](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor input = c.saved(0), y = c.saved(1), inverse = c.saved(2);
                  if (GradMode::is_enabled()) // the saved one is a constant
                    inverse = deviationInverse(input - input.mean(dims, true), dims, eps);
                  return {inverse * (g - g.mean(dims, true) - y * (g * y).mean(dims, true))};
                });
}

/// `result` times `weight` plus `bias`, which are seen in `shape`.
Tensor scaled(Tensor result, const Tensor &weight, const Tensor &bias, IntArrayRef shape) {
  if (weight.defined())
    result = result * weight.view(shape);
  return bias.defined() ? result + bias.view(shape) : result;
}

DimVector channelShape(const Tensor &input) {
  DimVector shape(static_cast<std::size_t>(input.dim()), 1);
  shape[1] = input.size(1);
  return shape;
}

void move(const Tensor &running, double momentum, const Tensor &value) {
  if (running.defined())
    running.mul_(1 - momentum).add_(value.reshape({-1}), momentum);
}

void checkChannels(const Tensor &value, const char *name, int64_t channels) {
  TORCH_CHECK(!value.defined() || value.numel() == channels, name, " should contain ", channels,
              " elements not ", value.numel());
}

/// With statistics that are constants: one factor and one summand for each channel.
Tensor byRunning(const Tensor &input, const Tensor &weight, const Tensor &bias, const Tensor &mean,
                 const Tensor &variance, double eps) {
  Tensor factor = (variance + eps).rsqrt();
  if (weight.defined())
    factor = factor * weight;
  Tensor summand = -mean * factor;
  if (bias.defined())
    summand = summand + bias;
  return scaled(input, factor, summand, channelShape(input));
}

} // namespace

Tensor batch_norm(const Tensor &input, const Tensor &weight, const Tensor &bias,
                  const Tensor &runningMean, const Tensor &runningVar, bool training,
                  double momentum, double eps, bool) {
  OperationScope scope("batch_norm");
  TORCH_CHECK(input.dim() >= 2, "expected at least 2D input (got ", input.dim(), "D input)");
  commonDevice("_native_batch_norm", {{"input", &input},
                                      {"weight", &weight},
                                      {"bias", &bias},
                                      {"running_mean", &runningMean},
                                      {"running_var", &runningVar}});
  int64_t channels = input.size(1), count = channels == 0 ? 0 : input.numel() / channels;
  checkChannels(runningMean, "running_mean", channels);
  checkChannels(runningVar, "running_var", channels);
  checkChannels(weight, "weight", channels);
  checkChannels(bias, "bias", channels);
  if (isReducedFloatingType(input.scalar_type()))
    return batch_norm(input.to(kFloat), weight, bias, runningMean, runningVar, training, momentum,
                      eps)
        .to(input.scalar_type());
  if (!training && runningMean.defined())
    return byRunning(input, weight, bias, runningMean, runningVar, eps);
  TORCH_CHECK(count > 1, "Expected more than 1 value per channel when training, got input size ",
              toText(input.sizes()));
  DimVector dims;
  for (int64_t d = 0; d < input.dim(); ++d)
    if (d != 1)
      dims.push_back(d);
  Statistics statistics;
  Tensor result = standardise("NativeBatchNormBackward0", input, dims, eps, statistics);
  if (training) {
    NoGradGuard guard;
    double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
    move(runningMean, momentum, statistics.mean);
    move(runningVar, momentum, statistics.variance * unbiased);
  }
  return scaled(result, weight, bias, channelShape(input));
}

Tensor instance_norm(const Tensor &input, const Tensor &weight, const Tensor &bias,
                     const Tensor &runningMean, const Tensor &runningVar, bool useInputStats,
                     double momentum, double eps, bool) {
  OperationScope scope("instance_norm");
  TORCH_CHECK(useInputStats || (runningMean.defined() && runningVar.defined()),
              "Expected running_mean and running_var to be defined when use_input_stats is false");
  if (isReducedFloatingType(input.scalar_type()))
    return instance_norm(input.to(kFloat), weight, bias, runningMean, runningVar, useInputStats,
                         momentum, eps)
        .to(input.scalar_type());
  if (!useInputStats)
    return byRunning(input, weight, bias, runningMean, runningVar, eps);
  DimVector dims;
  int64_t count = 1;
  for (int64_t d = 2; d < input.dim(); ++d) {
    dims.push_back(d);
    count *= input.size(d);
  }
  TORCH_CHECK(count > 1, "Expected more than 1 spatial element when training, got input size ",
              toText(input.sizes()));
  Statistics statistics;
  Tensor result = standardise("NativeBatchNormBackward0", input, dims, eps, statistics);
  if (runningMean.defined()) {
    NoGradGuard guard;
    double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
    move(runningMean, momentum, statistics.mean.mean(0));
    move(runningVar, momentum, (statistics.variance * unbiased).mean(0));
  }
  return scaled(result, weight, bias, channelShape(input));
}

Tensor layer_norm(const Tensor &input, IntArrayRef shape, const Tensor &weight, const Tensor &bias,
                  double eps) {
  OperationScope scope("layer_norm");
  auto normalised = static_cast<int64_t>(shape.size());
  TORCH_CHECK(normalised > 0 && input.dim() >= normalised &&
                  input.sizes().slice(static_cast<std::size_t>(input.dim() - normalised)) == shape,
              "Given normalized_shape=", toText(shape), ", expected input with shape [*, ",
              toText(shape).substr(1), ", but got input of size", toText(input.sizes()));
  commonDevice("_native_layer_norm", {{"input", &input}, {"weight", &weight}, {"bias", &bias}});
  if (isReducedFloatingType(input.scalar_type()))
    return layer_norm(input.to(kFloat), shape, weight, bias, eps).to(input.scalar_type());
  DimVector dims;
  for (int64_t d = input.dim() - normalised; d < input.dim(); ++d)
    dims.push_back(d);
  Statistics statistics;
  return scaled(standardise("NativeLayerNormBackward0", input, dims, eps, statistics), weight, bias,
                shape);
}

Tensor group_norm(const Tensor &input, int64_t groups, const Tensor &weight, const Tensor &bias,
                  double eps) {
  OperationScope scope("group_norm");
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received ",
              input.dim());
  TORCH_CHECK(groups > 0, "Expected num groups to be greater than 0, got ", groups);
  TORCH_CHECK(
      input.size(1) % groups == 0,
      "Expected number of channels in input to be divisible by num_groups, but got input of "
      "shape ",
      toText(input.sizes()), " and num_groups=", groups);
  if (isReducedFloatingType(input.scalar_type()))
    return group_norm(input.to(kFloat), groups, weight, bias, eps).to(input.scalar_type());
  Statistics statistics;
  Tensor grouped = input.reshape({input.size(0), groups, -1});
  Tensor result = standardise("NativeGroupNormBackward0", grouped, {2}, eps, statistics);
  return scaled(result.view(input.sizes()), weight, bias, channelShape(input));
}

} // namespace gradtidy::runtime
