// Random tensors, drawn from the default generator in the order LibTorch draws them.
#pragma once

#include "../core/Generator.h"
#include "../core/Tensor.h"

namespace gradtidy::runtime {

struct ReplayedSeed;

/// Uniform in [0, 1).
Tensor rand(IntArrayRef size, TensorOptions options = {});
/// Normal with mean 0 and deviation 1.
Tensor randn(IntArrayRef size, TensorOptions options = {});
/// int64 in [low, high).
Tensor randint(int64_t high, IntArrayRef size, TensorOptions options = {});
Tensor randint(int64_t low, int64_t high, IntArrayRef size, TensorOptions options = {});
/// The numbers 0 to n - 1 in random order, int64.
Tensor randperm(int64_t n, TensorOptions options = {});
Tensor rand_like(const Tensor &self, TensorOptions options = {});
Tensor randn_like(const Tensor &self, TensorOptions options = {});
Tensor randint_like(const Tensor &self, int64_t high, TensorOptions options = {});
Tensor randint_like(const Tensor &self, int64_t low, int64_t high, TensorOptions options = {});
Tensor normal(double mean, double std, IntArrayRef size);
/// Each element with a mean or a deviation of its own. No gradient goes to these.
Tensor normal(const Tensor &mean, double std = 1);
Tensor normal(double mean, const Tensor &std);
Tensor normal(const Tensor &mean, const Tensor &std);
/// 1 with the probability each element gives.
Tensor bernoulli(const Tensor &self);
Tensor multinomial(const Tensor &self, int64_t samples, bool replacement = false);

/// x where it is kept, scaled by 1 / (1 - p), and 0 with probability p; x itself unless `train`.
Tensor dropout(const Tensor &x, double p, bool train);
/// The same for whole channels of (N, C, ...).
Tensor feature_dropout(const Tensor &x, double p, bool train);
/// Sets elements to SELU's limit instead of 0, and keeps mean and variance.
Tensor alpha_dropout(const Tensor &x, double p, bool train);
Tensor feature_alpha_dropout(const Tensor &x, double p, bool train);
/// x where positive, else x times a slope: a random one for each element in training, the middle
/// one otherwise. (B. Xu et al., Empirical Evaluation of Rectified Activations, 2015)
Tensor rrelu(const Tensor &x, const Scalar &lower = 1.0 / 8, const Scalar &upper = 1.0 / 3,
             bool training = false);

/// The seed of a kernel that `device`, one that runs CUDA kernels, is about to get. For the
/// runtime's own code.
ReplayedSeed drawSeed(Device device);

} // namespace gradtidy::runtime
