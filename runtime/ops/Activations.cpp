#include "Activations.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Factories.h"
#include "Pointwise.h"
#include "kernels/Elementwise.h"

#include <limits>

namespace gradtidy::runtime {

namespace {

void requireFloating(const char *name, const Tensor &x) {
  dispatchFloating(x.scalar_type(), name, []<class T>() {});
}

/// x with `value` where `mask` holds, in x's memory order.
Tensor replaced(const Tensor &x, const Tensor &mask, const Scalar &value) {
  return where(mask, full({}, value, x.options()), x.detach());
}

/// The largest number of x's type.
double largestNumber(const Tensor &x) {
  double largest = 0;
  dispatchFloating(x.scalar_type(), "largest", [&]<class T>() {
    largest = std::is_same_v<T, Half> ? 65504.0 : double(std::numeric_limits<MathType<T>>::max());
  });
  return largest;
}

} // namespace

Tensor glu(const Tensor &x, int64_t dim) {
  TORCH_CHECK(x.dim() > 0, "glu does not support 0-dimensional tensors");
  dim = wrapDim(dim, x.dim());
  TORCH_CHECK(x.size(dim) % 2 == 0, "Halving dimension must be even, but dimension ", dim,
              " is size ", x.size(dim));
  requireFloating("glu_cpu", x);
  std::vector<Tensor> halves = x.chunk(2, dim);
  return halves[0] * sigmoid(halves[1]);
}

Tensor prelu(const Tensor &x, const Tensor &weight) {
  if (Casting cast = autocast::lower(x))
    return prelu(cast(x), cast(weight));
  TORCH_CHECK(x.scalar_type() == weight.scalar_type(), "prelu: Type promoting not supported. Got ",
              cppName(x.scalar_type()), " and ", cppName(weight.scalar_type()));
  TORCH_CHECK(weight.dim() <= 1, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ",
              "ndim = ", weight.dim());
  if (weight.numel() == 1) {
    requireFloating("prelu_cpu", x);
    return where(x.detach().gt(0), x, weight.reshape({}) * x);
  }
  int64_t channels = x.dim() < 2 ? 1 : x.size(1);
  TORCH_CHECK(weight.numel() == channels,
              "Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
              weight.numel(), " and channel size = ", channels, ".");
  DimVector shape(static_cast<std::size_t>(x.dim()), 1);
  shape[1] = channels;
  requireFloating("prelu_cpu", x);
  return where(x.detach().gt(0), x, weight.view(shape) * x);
}

Tensor selu(const Tensor &x) {
  constexpr double alpha = 1.6732632423543772848170429916717;
  constexpr double scale = 1.0507009873554804934193349852946;
  return elu(x, alpha, scale);
}

Tensor celu(const Tensor &x, const Scalar &alpha) {
  TORCH_CHECK(alpha.toDouble() != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return elu(x, alpha, 1, 1 / alpha.toDouble());
}

Tensor hardtanh(const Tensor &x, const Scalar &min, const Scalar &max) {
  TORCH_CHECK_NOT_IMPLEMENTED(x.scalar_type() != ScalarType::Bool,
                              "Bool inputs not supported for hardtanh");
  // The bounds do not change the type.
  bool whole = !isFloatingType(x.scalar_type());
  Scalar low = whole ? Scalar(min.toLong()) : min, high = whole ? Scalar(max.toLong()) : max;
  TORCH_CHECK_NOT_IMPLEMENTED(x.scalar_type() != ScalarType::Byte ||
                                  (low.toLong() >= 0 && high.toLong() >= 0),
                              "cannot do hardtanh on an unsigned type with negative limits");
  return record(x.detach().clamp(low, high), "HardtanhBackward0", {x}, {x},
                [min, max](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor x = c.saved(0), y = x.detach();
                  return {gated(g, x, y.gt(min).logical_and(y.lt(max)))};
                });
}

Tensor relu6(const Tensor &x) { return hardtanh(x, 0, 6); }

Tensor hardsigmoid(const Tensor &x) {
  requireFloating("hardsigmoid_cpu", x);
  return record((x.detach() + 3).clamp(0, 6) / 6, "HardsigmoidBackward0", {x}, {x},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor x = c.saved(0), y = x.detach();
                  constexpr float sixth = 1.0f / 6; // as in LibTorch, also for doubles
                  return {gated(g, x, y.gt(-3).logical_and(y.lt(3)), 0, sixth)};
                });
}

Tensor hardswish(const Tensor &x) {
  requireFloating("hardswish_cpu", x);
  return record(x.detach() * (x.detach() + 3).clamp(0, 6) / 6, "HardswishBackward0", {x}, {x},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor x = c.saved(0), y = x.detach();
                  return {where(y.le(-3), 0, where(y.lt(3), g * (x / 3 + 0.5), g))};
                });
}

Tensor mish(const Tensor &x) {
  requireFloating("mish_cpu", x);
  return x * tanh(softplus(x));
}

Tensor hardshrink(const Tensor &x, const Scalar &lambda) {
  requireFloating("hardshrink_cpu", x);
  Tensor gone = x.detach().abs().le(lambda);
  return record(replaced(x, gone, 0), "HardshrinkBackward0", {x}, {x, gone},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {gated(g, c.saved(0), c.saved(1).logical_not())};
                });
}

Tensor softshrink(const Tensor &x, const Scalar &lambda) {
  requireFloating("softshrink_check", x);
  TORCH_CHECK(lambda.toDouble() >= 0, "lambda must be in range [0, ", largestNumber(x),
              "] for input dtype ", x.scalar_type(), ", but found ", lambda.toDouble());
  Tensor y = x.detach(), gone = y.abs().le(lambda);
  return record(replaced(y - y.sign() * lambda, gone, 0), "SoftshrinkBackward0", {x}, {x, gone},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {gated(g, c.saved(0), c.saved(1).logical_not())};
                });
}

Tensor threshold(const Tensor &x, const Scalar &threshold, const Scalar &value) {
  dispatchNumbers(x.scalar_type(), "threshold_cpu", []<class T>() {});
  bool whole = !isFloatingType(x.scalar_type());
  Scalar limit = whole ? Scalar(threshold.toLong()) : threshold;
  Tensor below = x.detach().le(limit);
  return record(replaced(x, below, value), "ThresholdBackward0", {x}, {x, below},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {gated(g, c.saved(0), c.saved(1).logical_not())};
                });
}

} // namespace gradtidy::runtime
