#include "Normalization.h"
#include "../autograd/GradMode.h"
#include "Arithmetic.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "kernels/Elementwise.h"

namespace gradtidy::runtime {

Tensor batch_norm(const Tensor &input, const Tensor &weight, const Tensor &bias,
                  const Tensor &runningMean, const Tensor &runningVar, bool training,
                  double momentum, double eps, bool) {
  TORCH_CHECK(input.dim() >= 2, "expected at least 2D input (got ", input.dim(), "D input)");
  commonDevice("_native_batch_norm", {{"input", &input},
                                      {"weight", &weight},
                                      {"bias", &bias},
                                      {"running_mean", &runningMean},
                                      {"running_var", &runningVar}});
  int64_t channels = input.size(1), count = channels == 0 ? 0 : input.numel() / channels;
  for (const Tensor *tensor : {&weight, &bias, &runningMean, &runningVar})
    TORCH_CHECK(!tensor->defined() || tensor->numel() == channels, "running_mean should contain ",
                channels, " elements not ", tensor->numel());
  bool useBatch = training || !runningMean.defined();
  TORCH_CHECK(!useBatch || count > 1,
              "Expected more than 1 value per channel when training, got input size ",
              toText(input.sizes()));
  if (isReducedFloatingType(input.scalar_type()))
    return batch_norm(input.to(kFloat), weight, bias, runningMean, runningVar, training, momentum,
                      eps)
        .to(input.scalar_type());
  DimVector dims, shape(static_cast<std::size_t>(input.dim()), 1);
  shape[1] = channels;
  for (int64_t d = 0; d < input.dim(); ++d)
    if (d != 1)
      dims.push_back(d);
  Tensor mean = useBatch ? input.mean(dims, true) : runningMean.view(shape);
  Tensor centred = input - mean;
  Tensor variance = useBatch ? (centred * centred).mean(dims, true) : runningVar.view(shape);
  if (training && runningMean.defined()) {
    NoGradGuard guard;
    runningMean.mul_(1 - momentum).add_(mean.view({channels}), momentum);
    double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
    runningVar.mul_(1 - momentum).add_(variance.view({channels}), momentum * unbiased);
  }
  Tensor result = centred * (variance + eps).rsqrt();
  if (weight.defined())
    result = result * weight.view(shape);
  return bias.defined() ? result + bias.view(shape) : result;
}

Tensor layer_norm(const Tensor &input, IntArrayRef shape, const Tensor &weight, const Tensor &bias,
                  double eps) {
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
  Tensor centred = input - input.mean(dims, true);
  Tensor result = centred * ((centred * centred).mean(dims, true) + eps).rsqrt();
  if (weight.defined())
    result = result * weight;
  return bias.defined() ? result + bias : result;
}

} // namespace gradtidy::runtime
