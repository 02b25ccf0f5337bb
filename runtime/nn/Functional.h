// The layers and losses that have no state, as functions (torch::nn::functional).
#pragma once

#include "../ops/Indexing.h"
#include "../ops/Linear.h"
#include "../ops/Pointwise.h"
#include "../ops/Softmax.h"
#include "Options.h"

namespace gradtidy::runtime::nn::functional {

using L1LossFuncOptions = L1LossOptions;
using MSELossFuncOptions = MSELossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using SmoothL1LossFuncOptions = SmoothL1LossOptions;
using HuberLossFuncOptions = HuberLossOptions;
using ReLUFuncOptions = ReLUOptions;
using LeakyReLUFuncOptions = LeakyReLUOptions;
using ELUFuncOptions = ELUOptions;
using SoftplusFuncOptions = SoftplusOptions;
struct EmbeddingFuncOptions {
  TORCH_ARG(optional<int64_t>, padding_idx) = nullopt;
  TORCH_ARG(optional<double>, max_norm) = nullopt;
  TORCH_ARG(double, norm_type) = 2;
};
using GELUFuncOptions = GELUOptions;
using SoftmaxFuncOptions = SoftmaxOptions;
using LogSoftmaxFuncOptions = LogSoftmaxOptions;

using runtime::bilinear;
using runtime::linear;
using runtime::one_hot;
using runtime::silu;

Tensor embedding(const Tensor &indices, const Tensor &weight,
                 const EmbeddingFuncOptions &options = {});
Tensor relu(Tensor input, const ReLUFuncOptions &options = {});
Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions &options = {});
Tensor elu(Tensor input, const ELUFuncOptions &options = {});
Tensor softplus(const Tensor &input, const SoftplusFuncOptions &options = {});
Tensor logsigmoid(const Tensor &input);
Tensor gelu(const Tensor &input, const GELUFuncOptions &options = {});
Tensor softmax(const Tensor &input, const SoftmaxFuncOptions &options);
Tensor log_softmax(const Tensor &input, const LogSoftmaxFuncOptions &options);

Tensor l1_loss(const Tensor &input, const Tensor &target, const L1LossFuncOptions &options = {});
Tensor mse_loss(const Tensor &input, const Tensor &target, const MSELossFuncOptions &options = {});
Tensor smooth_l1_loss(const Tensor &input, const Tensor &target,
                      const SmoothL1LossFuncOptions &options = {});
Tensor huber_loss(const Tensor &input, const Tensor &target,
                  const HuberLossFuncOptions &options = {});
Tensor binary_cross_entropy(const Tensor &input, const Tensor &target,
                            const BinaryCrossEntropyFuncOptions &options = {});
Tensor
binary_cross_entropy_with_logits(const Tensor &input, const Tensor &target,
                                 const BinaryCrossEntropyWithLogitsFuncOptions &options = {});
Tensor nll_loss(const Tensor &input, const Tensor &target, const NLLLossFuncOptions &options = {});
Tensor cross_entropy(const Tensor &input, const Tensor &target,
                     const CrossEntropyFuncOptions &options = {});

} // namespace gradtidy::runtime::nn::functional
