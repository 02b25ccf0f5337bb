// EmbeddingBag: sums, means or maxima of the rows of an embedding.
#pragma once

#include "Options.h"

namespace gradtidy::runtime::nn {

using EmbeddingBagMode = std::variant<enumtype::kSum, enumtype::kMean, enumtype::kMax>;

struct EmbeddingBagOptions {
  EmbeddingBagOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  TORCH_ARG(int64_t, num_embeddings);
  TORCH_ARG(int64_t, embedding_dim);
  TORCH_ARG(optional<double>, max_norm) = nullopt;
  TORCH_ARG(double, norm_type) = 2;
  TORCH_ARG(EmbeddingBagMode, mode) = kMean;
  TORCH_ARG(Tensor, _weight) = {};
  TORCH_ARG(bool, include_last_offset) = false;
  TORCH_ARG(optional<int64_t>, padding_idx) = nullopt;
};

struct EmbeddingBagFromPretrainedOptions {
  TORCH_ARG(bool, freeze) = true;
  TORCH_ARG(optional<double>, max_norm) = nullopt;
  TORCH_ARG(double, norm_type) = 2;
  TORCH_ARG(EmbeddingBagMode, mode) = kMean;
  TORCH_ARG(bool, include_last_offset) = false;
  TORCH_ARG(optional<int64_t>, padding_idx) = nullopt;
};

namespace functional {

struct EmbeddingBagFuncOptions {
  TORCH_ARG(Tensor, offsets) = {};
  TORCH_ARG(optional<double>, max_norm) = nullopt;
  TORCH_ARG(double, norm_type) = 2;
  TORCH_ARG(EmbeddingBagMode, mode) = kMean;
  TORCH_ARG(Tensor, per_sample_weights) = {};
  TORCH_ARG(bool, include_last_offset) = false;
  TORCH_ARG(optional<int64_t>, padding_idx) = nullopt;
};

/// One row for each bag of indices, made of their rows of `weight`. The bags are the rows of a
/// matrix `input`; or parts of a vector, of which bag i starts at offsets[i] and the last ends with
/// the vector, or, if `include_last_offset`, at the last offset, where none starts. Rows of a sum
/// are weighted by `per_sample_weights`, if there are any; `padding_idx` does not count.
Tensor embedding_bag(const Tensor &input, const Tensor &weight,
                     const EmbeddingBagFuncOptions &options = {});

} // namespace functional

class EmbeddingBagImpl : public Cloneable<EmbeddingBagImpl> {
public:
  EmbeddingBagImpl(int64_t count, int64_t width)
      : EmbeddingBagImpl(EmbeddingBagOptions(count, width)) {}
  explicit EmbeddingBagImpl(const EmbeddingBagOptions &options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input, const Tensor &offsets = {},
                 const Tensor &per_sample_weights = {});

  EmbeddingBagOptions options;
  Tensor weight;

protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())}, {2, AnyValue(Tensor())})
};

class EmbeddingBag : public ModuleHolder<EmbeddingBagImpl> {
public:
  using ModuleHolder<EmbeddingBagImpl>::ModuleHolder;
  using Impl = EmbeddingBagImpl;
  /// Bags of the given rows, which are not trained unless told otherwise.
  static EmbeddingBag from_pretrained(const Tensor &embeddings,
                                      const EmbeddingBagFromPretrainedOptions &options = {});
};

} // namespace gradtidy::runtime::nn
