// Layers with parameters or a mode, and stateless ones as modules.
#pragma once

#include "Functional.h"
#include "Options.h"

namespace gradtidy::runtime::nn {

/// y = x weight^T + bias over the last dimension; weight is (out, in).
class LinearImpl : public Cloneable<LinearImpl> {
public:
  LinearImpl(int64_t in, int64_t out) : LinearImpl(LinearOptions(in, out)) {}
  explicit LinearImpl(const LinearOptions &options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input);

  LinearOptions options;
  Tensor weight;
  Tensor bias;

private:
  friend class SequentialImpl;
  /// The weight as forward() multiplies by it.
  Tensor factor(const Tensor &input) const;
};
TORCH_MODULE(Linear);

class IdentityImpl : public Cloneable<IdentityImpl> {
public:
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return input; }
};
TORCH_MODULE(Identity);

class FlattenImpl : public Cloneable<FlattenImpl> {
public:
  explicit FlattenImpl(const FlattenOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) {
    return input.flatten(options.start_dim(), options.end_dim());
  }

  FlattenOptions options;
};
TORCH_MODULE(Flatten);

class UnflattenImpl : public Cloneable<UnflattenImpl> {
public:
  UnflattenImpl(int64_t dim, std::vector<int64_t> sizes)
      : UnflattenImpl(UnflattenOptions(dim, std::move(sizes))) {}
  explicit UnflattenImpl(UnflattenOptions options) : options(std::move(options)) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return input.unflatten(options.dim(), options.sizes()); }

  UnflattenOptions options;
};
TORCH_MODULE(Unflatten);

/// x1^T weight[k] x2 + bias[k] for each feature k; weight is (out, in1, in2).
class BilinearImpl : public Cloneable<BilinearImpl> {
public:
  BilinearImpl(int64_t in1, int64_t in2, int64_t out)
      : BilinearImpl(BilinearOptions(in1, in2, out)) {}
  explicit BilinearImpl(const BilinearOptions &options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &x1, const Tensor &x2) { return bilinear(x1, x2, weight, bias); }

  BilinearOptions options;
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(Bilinear);

/// Rows of a weight (num_embeddings, embedding_dim), one for each index. The row of `padding_idx`
/// starts as zeros and has no gradient. Where there is a `max_norm`, rows longer than that are
/// shortened when they are looked up.
class EmbeddingImpl : public Cloneable<EmbeddingImpl> {
public:
  EmbeddingImpl(int64_t count, int64_t width) : EmbeddingImpl(EmbeddingOptions(count, width)) {}
  explicit EmbeddingImpl(const EmbeddingOptions &options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &indices) {
    return functional::embedding(indices, weight,
                                 functional::EmbeddingFuncOptions()
                                     .padding_idx(options.padding_idx())
                                     .max_norm(options.max_norm())
                                     .norm_type(options.norm_type()));
  }

  EmbeddingOptions options;
  Tensor weight;
};

class Embedding : public ModuleHolder<EmbeddingImpl> {
public:
  using ModuleHolder<EmbeddingImpl>::ModuleHolder;
  using Impl = EmbeddingImpl;
  /// An embedding of the given rows, which are not trained unless told otherwise.
  static Embedding from_pretrained(const Tensor &embeddings,
                                   const EmbeddingFromPretrainedOptions &options = {});
};

// Activations

class ReLUImpl : public Cloneable<ReLUImpl> {
public:
  explicit ReLUImpl(const ReLUOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(Tensor input) { return functional::relu(std::move(input), options); }

  ReLUOptions options;
};
TORCH_MODULE(ReLU);

class LeakyReLUImpl : public Cloneable<LeakyReLUImpl> {
public:
  explicit LeakyReLUImpl(const LeakyReLUOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(Tensor input) { return functional::leaky_relu(std::move(input), options); }

  LeakyReLUOptions options;
};
TORCH_MODULE(LeakyReLU);

class ELUImpl : public Cloneable<ELUImpl> {
public:
  explicit ELUImpl(const ELUOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(Tensor input) { return functional::elu(std::move(input), options); }

  ELUOptions options;
};
TORCH_MODULE(ELU);

class SoftplusImpl : public Cloneable<SoftplusImpl> {
public:
  explicit SoftplusImpl(const SoftplusOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return functional::softplus(input, options); }

  SoftplusOptions options;
};
TORCH_MODULE(Softplus);

class SoftmaxImpl : public Cloneable<SoftmaxImpl> {
public:
  explicit SoftmaxImpl(int64_t dim) : SoftmaxImpl(SoftmaxOptions(dim)) {}
  explicit SoftmaxImpl(const SoftmaxOptions &options) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return functional::softmax(input, options); }

  SoftmaxOptions options;
};
TORCH_MODULE(Softmax);

/// Softmax over the channels of images (N, C, H, W) or (C, H, W).
class Softmax2dImpl : public Cloneable<Softmax2dImpl> {
public:
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input);
};
TORCH_MODULE(Softmax2d);

class LogSoftmaxImpl : public Cloneable<LogSoftmaxImpl> {
public:
  explicit LogSoftmaxImpl(int64_t dim) : LogSoftmaxImpl(LogSoftmaxOptions(dim)) {}
  explicit LogSoftmaxImpl(const LogSoftmaxOptions &options) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return functional::log_softmax(input, options); }

  LogSoftmaxOptions options;
};
TORCH_MODULE(LogSoftmax);

class TanhImpl : public Cloneable<TanhImpl> {
public:
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return input.tanh(); }
};
TORCH_MODULE(Tanh);

class SigmoidImpl : public Cloneable<SigmoidImpl> {
public:
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return input.sigmoid(); }
};
TORCH_MODULE(Sigmoid);

class LogSigmoidImpl : public Cloneable<LogSigmoidImpl> {
public:
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return log_sigmoid(input); }
};
TORCH_MODULE(LogSigmoid);

class GELUImpl : public Stateless<GELUImpl, GELUOptions> {
public:
  using Stateless::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return functional::gelu(input, options); }
};
TORCH_MODULE(GELU);

class SiLUImpl : public Cloneable<SiLUImpl> {
public:
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return silu(input); }
};
TORCH_MODULE(SiLU);

// Losses

class L1LossImpl : public Cloneable<L1LossImpl> {
public:
  explicit L1LossImpl(const L1LossOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const Tensor &target) {
    return functional::l1_loss(input, target, options);
  }

  L1LossOptions options;
};
TORCH_MODULE(L1Loss);

class MSELossImpl : public Cloneable<MSELossImpl> {
public:
  explicit MSELossImpl(const MSELossOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const Tensor &target) {
    return functional::mse_loss(input, target, options);
  }

  MSELossOptions options;
};
TORCH_MODULE(MSELoss);

class SmoothL1LossImpl : public Cloneable<SmoothL1LossImpl> {
public:
  explicit SmoothL1LossImpl(const SmoothL1LossOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const Tensor &target) {
    return functional::smooth_l1_loss(input, target, options);
  }

  SmoothL1LossOptions options;
};
TORCH_MODULE(SmoothL1Loss);

class HuberLossImpl : public Cloneable<HuberLossImpl> {
public:
  explicit HuberLossImpl(const HuberLossOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const Tensor &target) {
    return functional::huber_loss(input, target, options);
  }

  HuberLossOptions options;
};
TORCH_MODULE(HuberLoss);

class BCELossImpl : public Cloneable<BCELossImpl> {
public:
  explicit BCELossImpl(const BCELossOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const Tensor &target) {
    return functional::binary_cross_entropy(input, target, options);
  }

  BCELossOptions options;
};
TORCH_MODULE(BCELoss);

class BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
public:
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const Tensor &target) {
    return functional::binary_cross_entropy_with_logits(input, target, options);
  }

  BCEWithLogitsLossOptions options;
};
TORCH_MODULE(BCEWithLogitsLoss);

class NLLLossImpl : public Cloneable<NLLLossImpl> {
public:
  explicit NLLLossImpl(const NLLLossOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const Tensor &target) {
    return functional::nll_loss(input, target, options);
  }

  NLLLossOptions options;
};
TORCH_MODULE(NLLLoss);

class CrossEntropyLossImpl : public Cloneable<CrossEntropyLossImpl> {
public:
  explicit CrossEntropyLossImpl(const CrossEntropyLossOptions &options = {}) : options(options) {}
  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const Tensor &target) {
    return functional::cross_entropy(input, target, options);
  }

  CrossEntropyLossOptions options;
};
TORCH_MODULE(CrossEntropyLoss);

} // namespace gradtidy::runtime::nn
