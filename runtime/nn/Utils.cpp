#include "Utils.h"
#include "../autograd/GradMode.h"
#include "../ops/Factories.h"
#include "../ops/Reductions.h"
#include "../ops/Views.h"

#include <cmath>

namespace gradtidy::runtime::nn::utils {

double clip_grad_norm_(const std::vector<Tensor> &parameters, double maxNorm, double normType,
                       bool errorIfNonfinite) {
  NoGradGuard guard;
  std::vector<Tensor> gradients, norms;
  for (const Tensor &parameter : parameters)
    if (parameter.grad().defined()) {
      gradients.push_back(parameter.grad());
      norms.push_back(norm(gradients.back(), normType));
    }
  if (gradients.empty())
    return 0;
  double total = norm(stack(norms), normType).item<double>();
  TORCH_CHECK(!errorIfNonfinite || std::isfinite(total), "The total norm of order ", normType,
              " for gradients from `parameters` is non-finite, so it cannot be clipped. To disable "
              "this error and scale the gradients with the non-finite norm anyway, set "
              "`error_if_nonfinite=false`");
  double factor = maxNorm / (total + 1e-6);
  if (factor < 1)
    for (Tensor &gradient : gradients)
      gradient.mul_(factor);
  return total;
}

double clip_grad_norm_(Tensor parameter, double maxNorm, double normType, bool errorIfNonfinite) {
  return clip_grad_norm_(std::vector<Tensor>{std::move(parameter)}, maxNorm, normType,
                         errorIfNonfinite);
}

void clip_grad_value_(const std::vector<Tensor> &parameters, double clipValue) {
  NoGradGuard guard;
  for (const Tensor &parameter : parameters)
    if (parameter.grad().defined())
      parameter.mutable_grad().clamp_(-clipValue, clipValue);
}

void clip_grad_value_(Tensor parameter, double clipValue) {
  clip_grad_value_(std::vector<Tensor>{std::move(parameter)}, clipValue);
}

Tensor parameters_to_vector(const std::vector<Tensor> &parameters) {
  std::vector<Tensor> flat;
  for (const Tensor &parameter : parameters)
    flat.push_back(parameter.reshape({-1}));
  return cat(flat);
}

void vector_to_parameters(const Tensor &values, const std::vector<Tensor> &parameters) {
  int64_t at = 0;
  for (const Tensor &parameter : parameters) {
    parameter.set_data(values.slice(0, at, at + parameter.numel()).view_as(parameter).data());
    at += parameter.numel();
  }
}

} // namespace gradtidy::runtime::nn::utils
