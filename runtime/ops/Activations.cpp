#include "Activations.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Pointwise.h"

namespace gradtidy::runtime {

Tensor glu(const Tensor &x, int64_t dim) {
  TORCH_CHECK(x.dim() > 0, "glu does not support 0-dimensional tensors");
  dim = wrapDim(dim, x.dim());
  TORCH_CHECK(x.size(dim) % 2 == 0, "Halving dimension must be even, but dimension ", dim,
              " is size ", x.size(dim));
  std::vector<Tensor> halves = x.chunk(2, dim);
  return halves[0] * sigmoid(halves[1]);
}

Tensor prelu(const Tensor &x, const Tensor &weight) {
  if (weight.numel() == 1)
    return where(x.detach().gt(0), x, weight.reshape({}) * x);
  int64_t channels = x.dim() < 2 ? 1 : x.size(1);
  TORCH_CHECK(weight.numel() == channels,
              "Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
              weight.numel(), " and channel size = ", channels, ".");
  DimVector shape(static_cast<std::size_t>(x.dim()), 1);
  shape[1] = channels;
  return where(x.detach().gt(0), x, weight.view(shape) * x);
}

Tensor selu(const Tensor &x) {
  constexpr double alpha = 1.6732632423543772848170429916717;
  constexpr double scale = 1.0507009873554804934193349852946;
  return elu(x, alpha) * scale;
}

Tensor celu(const Tensor &x, const Scalar &alpha) {
  TORCH_CHECK(alpha.toDouble() != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return where(x.detach().gt(0), x, expm1(x.clamp_max(0) / alpha) * alpha);
}

Tensor hardtanh(const Tensor &x, const Scalar &min, const Scalar &max) {
  Tensor result = x.detach().clamp(min, max);
  return record(result, "HardtanhBackward0", {x}, {x},
                [min, max](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor x = c.saved(0);
                  return {g.masked_fill(x.le(min).logical_or(x.ge(max)), 0)};
                });
}

Tensor relu6(const Tensor &x) { return hardtanh(x, 0, 6); }
Tensor hardsigmoid(const Tensor &x) { return hardtanh(x + 3, 0, 6) / 6; }
Tensor hardswish(const Tensor &x) { return x * hardtanh(x + 3, 0, 6) / 6; }
Tensor mish(const Tensor &x) { return x * tanh(softplus(x)); }

Tensor hardshrink(const Tensor &x, const Scalar &lambda) {
  Tensor size = x.detach().abs();
  return x.masked_fill(size.le(lambda), 0);
}

Tensor softshrink(const Tensor &x, const Scalar &lambda) {
  TORCH_CHECK(lambda.toDouble() >= 0, "lambda must be greater or equal to 0, but found to be ",
              lambda.toDouble(), ".");
  return hardshrink(x - x.detach().sign() * lambda, 0).masked_fill(x.detach().abs().le(lambda), 0);
}

Tensor threshold(const Tensor &x, const Scalar &threshold, const Scalar &value) {
  return x.masked_fill(x.detach().le(threshold), value);
}

} // namespace gradtidy::runtime
