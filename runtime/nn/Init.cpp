#include "Init.h"

#include "../ops/Random.h"

#include <cmath>

namespace gradtidy::runtime::nn::init {
namespace {

struct Fan {
  double in, out;
};

Fan fanOf(const Tensor &tensor) {
  TORCH_CHECK(tensor.dim() >= 2, "Fan in and fan out cannot be computed for tensor with fewer than "
                                 "2 dimensions");
  double field = 1;
  for (int64_t d = 2; d < tensor.dim(); ++d)
    field *= static_cast<double>(tensor.size(d));
  return {static_cast<double>(tensor.size(1)) * field, static_cast<double>(tensor.size(0)) * field};
}

} // namespace

std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor &tensor) {
  Fan fan = fanOf(tensor);
  return {static_cast<int64_t>(fan.in), static_cast<int64_t>(fan.out)};
}

namespace {

double kaimingDeviation(const Tensor &tensor, double a, FanModeType mode,
                        NonlinearityType nonlinearity) {
  Fan fan = fanOf(tensor);
  double gain = calculate_gain(nonlinearity, a);
  return gain / std::sqrt(std::holds_alternative<enumtype::kFanIn>(mode) ? fan.in : fan.out);
}

} // namespace

double calculate_gain(NonlinearityType nonlinearity, double param) {
  if (std::holds_alternative<enumtype::kTanh>(nonlinearity))
    return 5.0 / 3.0;
  if (std::holds_alternative<enumtype::kReLU>(nonlinearity))
    return std::sqrt(2.0);
  if (std::holds_alternative<enumtype::kLeakyReLU>(nonlinearity))
    return std::sqrt(2.0 / (1 + param * param));
  return 1.0;
}

Tensor constant_(Tensor tensor, const Scalar &value) {
  NoGradGuard guard;
  return tensor.fill_(value);
}
Tensor zeros_(Tensor tensor) { return constant_(std::move(tensor), 0); }
Tensor ones_(Tensor tensor) { return constant_(std::move(tensor), 1); }

Tensor eye_(Tensor matrix) {
  NoGradGuard guard;
  TORCH_CHECK(matrix.dim() == 2, "Only tensors with 2 dimensions are supported");
  matrix.zero_().diagonal().fill_(1);
  return matrix;
}

Tensor dirac_(Tensor tensor) {
  NoGradGuard guard;
  TORCH_CHECK(tensor.dim() >= 3 && tensor.dim() <= 5,
              "Only tensors with 3, 4, or 5 dimensions are supported");
  Tensor middle = tensor.zero_();
  while (middle.dim() > 2)
    middle = middle.select(2, middle.size(2) / 2);
  middle.diagonal().fill_(1);
  return tensor;
}

Tensor orthogonal_(Tensor tensor, double gain) {
  NoGradGuard guard;
  TORCH_CHECK(tensor.dim() >= 2, "Only tensors with 2 or more dimensions are supported");
  if (tensor.numel() == 0)
    return tensor;
  int64_t rows = tensor.size(0), columns = tensor.numel() / rows;
  Tensor drawn = randn({rows, columns});
  Tensor q = (rows < columns ? drawn.t() : drawn).to(kDouble).contiguous();
  for (int64_t i = 0; i < q.size(1); ++i) {
    Tensor column = q.select(1, i), before = q.narrow(1, 0, i);
    for (int pass = 0; pass < 2; ++pass) // the second one removes what rounding left
      column.sub_(before.mv(before.t().mv(column)));
    column.div_(column.norm());
  }
  tensor.view({rows, columns}).copy_(rows < columns ? q.t() : q);
  return tensor.mul_(gain);
}

Tensor sparse_(Tensor matrix, double sparsity, double std) {
  NoGradGuard guard;
  TORCH_CHECK(matrix.dim() == 2, "Only tensors with 2 dimensions are supported");
  int64_t rows = matrix.size(0);
  auto zeros = static_cast<int64_t>(std::ceil(sparsity * static_cast<double>(rows)));
  matrix.normal_(0, std);
  Tensor values = matrix.detach();
  for (int64_t column = 0; column < matrix.size(1); ++column)
    values.select(1, column)
        .index_fill_(0, randperm(rows, matrix.device()).slice(0, 0, zeros), 0);
  return matrix;
}

Tensor uniform_(Tensor tensor, double low, double high) {
  NoGradGuard guard;
  return tensor.uniform_(low, high);
}

Tensor normal_(Tensor tensor, double mean, double std) {
  NoGradGuard guard;
  return tensor.normal_(mean, std);
}

Tensor xavier_uniform_(Tensor tensor, double gain) {
  Fan fan = fanOf(tensor);
  double bound = std::sqrt(3.0) * gain * std::sqrt(2.0 / (fan.in + fan.out));
  return uniform_(std::move(tensor), -bound, bound);
}

Tensor xavier_normal_(Tensor tensor, double gain) {
  Fan fan = fanOf(tensor);
  return normal_(std::move(tensor), 0, gain * std::sqrt(2.0 / (fan.in + fan.out)));
}

Tensor kaiming_uniform_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  double bound = std::sqrt(3.0) * kaimingDeviation(tensor, a, mode, nonlinearity);
  return uniform_(std::move(tensor), -bound, bound);
}

Tensor kaiming_normal_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  double deviation = kaimingDeviation(tensor, a, mode, nonlinearity);
  return normal_(std::move(tensor), 0, deviation);
}

} // namespace gradtidy::runtime::nn::init
