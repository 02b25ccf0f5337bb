// Helpers around the parameters of modules (torch::nn::utils).
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime::nn::utils {

/// Scales the gradients of `parameters` down to a joint norm of at most `maxNorm`, in place;
/// returns the norm they had. Parameters without a gradient are left out.
double clip_grad_norm_(const std::vector<Tensor> &parameters, double maxNorm, double normType = 2,
                       bool errorIfNonfinite = false);
double clip_grad_norm_(Tensor parameter, double maxNorm, double normType = 2,
                       bool errorIfNonfinite = false);
/// Clamps every element of the gradients to [-clipValue, clipValue].
void clip_grad_value_(const std::vector<Tensor> &parameters, double clipValue);
void clip_grad_value_(Tensor parameter, double clipValue);
/// One vector of all parameters.
Tensor parameters_to_vector(const std::vector<Tensor> &parameters);
/// Lets the parameters be parts of `values`, one behind the other.
void vector_to_parameters(const Tensor &values, const std::vector<Tensor> &parameters);

} // namespace gradtidy::runtime::nn::utils
