#include "Functional.h"
#include "../ops/Arithmetic.h"
#include "../ops/Reductions.h"

#include <cstdio>

namespace gradtidy::runtime::nn::functional {
namespace {

void warnAboutShapes(const Tensor &input, const Tensor &target) {
  if (input.sizes() != target.sizes())
    std::fprintf(stderr,
                 "Warning: Using a target size (%s) that is different to the input size (%s). This "
                 "will likely lead to incorrect results due to broadcasting. Please ensure they "
                 "have the same size.\n",
                 toText(target.sizes()).c_str(), toText(input.sizes()).c_str());
}

} // namespace

Tensor embedding(const Tensor &indices, const Tensor &weight, const EmbeddingFuncOptions &options) {
  int64_t padding = options.padding_idx().value_or(-1), count = weight.size(0);
  if (options.padding_idx()) {
    TORCH_CHECK(padding < count && padding >= -count, "Padding_idx must be within num_embeddings");
    padding = padding < 0 ? padding + count : padding;
  }
  if (options.max_norm())
    embedding_renorm_(weight, indices, *options.max_norm(), options.norm_type());
  return runtime::embedding(weight, indices, padding);
}

Tensor relu(Tensor input, const ReLUFuncOptions &options) {
  return options.inplace() ? input.relu_() : input.relu();
}

Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions &options) {
  Tensor result = runtime::leaky_relu(input, options.negative_slope());
  return options.inplace() ? input.copy_(result) : result;
}

Tensor elu(Tensor input, const ELUFuncOptions &options) {
  Tensor result = runtime::elu(input, options.alpha());
  return options.inplace() ? input.copy_(result) : result;
}

Tensor softplus(const Tensor &input, const SoftplusFuncOptions &options) {
  return runtime::softplus(input, options.beta(), options.threshold());
}

Tensor logsigmoid(const Tensor &input) { return runtime::log_sigmoid(input); }

Tensor gelu(const Tensor &input, const GELUFuncOptions &options) {
  return runtime::gelu(input, options.approximate());
}
Tensor softmax(const Tensor &input, const SoftmaxFuncOptions &options) {
  return runtime::softmax(input, options.dim());
}

Tensor log_softmax(const Tensor &input, const LogSoftmaxFuncOptions &options) {
  return runtime::log_softmax(input, options.dim());
}

Tensor l1_loss(const Tensor &input, const Tensor &target, const L1LossFuncOptions &options) {
  warnAboutShapes(input, target);
  return runtime::l1_loss(input, target, options.reduction());
}

Tensor mse_loss(const Tensor &input, const Tensor &target, const MSELossFuncOptions &options) {
  warnAboutShapes(input, target);
  return runtime::mse_loss(input, target, options.reduction());
}

Tensor smooth_l1_loss(const Tensor &input, const Tensor &target,
                      const SmoothL1LossFuncOptions &options) {
  warnAboutShapes(input, target);
  return runtime::smooth_l1_loss(input, target, options.reduction(), options.beta());
}

Tensor huber_loss(const Tensor &input, const Tensor &target, const HuberLossFuncOptions &options) {
  warnAboutShapes(input, target);
  return runtime::huber_loss(input, target, options.reduction(), options.delta());
}

Tensor binary_cross_entropy(const Tensor &input, const Tensor &target,
                            const BinaryCrossEntropyFuncOptions &options) {
  TORCH_CHECK(target.sizes() == input.sizes(), "Using a target size (", toText(target.sizes()),
              ") that is different to the input size (", toText(input.sizes()),
              ") is deprecated. Please ensure they have the same size.");
  return runtime::binary_cross_entropy(input, target, options.weight(), options.reduction());
}

Tensor binary_cross_entropy_with_logits(const Tensor &input, const Tensor &target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions &options) {
  TORCH_CHECK(target.sizes() == input.sizes(), "Target size (", toText(target.sizes()),
              ") must be the same as input size (", toText(input.sizes()), ")");
  return runtime::binary_cross_entropy_with_logits(input, target, options.weight(),
                                                   options.pos_weight(), options.reduction());
}

Tensor nll_loss(const Tensor &input, const Tensor &target, const NLLLossFuncOptions &options) {
  return runtime::nll_loss(input, target, options.weight(), options.reduction(),
                           options.ignore_index());
}

Tensor cross_entropy(const Tensor &input, const Tensor &target,
                     const CrossEntropyFuncOptions &options) {
  return runtime::cross_entropy_loss(input, target, options.weight(), options.reduction(),
                                     options.ignore_index(), options.label_smoothing());
}

} // namespace gradtidy::runtime::nn::functional
