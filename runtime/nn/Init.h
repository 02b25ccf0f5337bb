// Initialisers (torch::nn::init): fill a tensor in place, outside any graph.
#pragma once

#include "Options.h"

#include <variant>

namespace gradtidy::runtime::nn::init {

using NonlinearityType = std::variant<enumtype::kLinear, enumtype::kSigmoid, enumtype::kTanh,
                                      enumtype::kReLU, enumtype::kLeakyReLU>;
using FanModeType = std::variant<enumtype::kFanIn, enumtype::kFanOut>;

/// The factor that keeps the deviation of a layer's output at one.
double calculate_gain(NonlinearityType nonlinearity, double param = 0.01);

/// How many numbers each output is made of, and how many outputs each input goes to.
std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor &tensor);

Tensor constant_(Tensor tensor, const Scalar &value);
Tensor zeros_(Tensor tensor);
Tensor ones_(Tensor tensor);
/// Ones on the diagonal of a matrix, zeros elsewhere.
Tensor eye_(Tensor matrix);
/// The weight of a convolution that passes on its input, channel by channel.
Tensor dirac_(Tensor tensor);
/// Orthonormal rows (or columns, where there are more rows), times `gain`: see Saxe et al.,
/// https://arxiv.org/abs/1312.6120. Dimensions behind the first one count as one.
Tensor orthogonal_(Tensor tensor, double gain = 1.0);
/// Normal with mean 0, but that this share of each column, rounded up, is zeros.
Tensor sparse_(Tensor matrix, double sparsity, double std = 0.01);
Tensor uniform_(Tensor tensor, double low = 0, double high = 1);
Tensor normal_(Tensor tensor, double mean = 0, double std = 1);
Tensor xavier_uniform_(Tensor tensor, double gain = 1.0);
Tensor xavier_normal_(Tensor tensor, double gain = 1.0);
Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                        NonlinearityType nonlinearity = kLeakyReLU);
Tensor kaiming_normal_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                       NonlinearityType nonlinearity = kLeakyReLU);

} // namespace gradtidy::runtime::nn::init
