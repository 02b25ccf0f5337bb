// The words and options that layers, losses and their functional forms share.
#pragma once

#include "../ops/Losses.h"
#include "Module.h"
#include "Words.h"

namespace gradtidy::runtime {

namespace nn {

/// How a loss over many elements becomes one number.
class LossReduction {
public:
  LossReduction(enumtype::kNone) : value(Reduction::None) {}
  LossReduction(enumtype::kMean) : value(Reduction::Mean) {}
  LossReduction(enumtype::kSum) : value(Reduction::Sum) {}
  operator int64_t() const { return value; }
  const char *name() const {
    return value == Reduction::None ? "kNone" : value == Reduction::Mean ? "kMean" : "kSum";
  }

private:
  Reduction::Reduction value;
};

template <class T>
concept ReductionWord = std::is_convertible_v<T, LossReduction>;

struct L1LossOptions {
  L1LossOptions() = default;
  L1LossOptions(ReductionWord auto reduction) : reduction_(reduction) {}
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct MSELossOptions {
  MSELossOptions() = default;
  MSELossOptions(ReductionWord auto reduction) : reduction_(reduction) {}
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct BCELossOptions {
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct BCEWithLogitsLossOptions {
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(LossReduction, reduction) = kMean;
  TORCH_ARG(Tensor, pos_weight) = {};
};

struct NLLLossOptions {
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(int64_t, ignore_index) = -100;
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct CrossEntropyLossOptions {
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(int64_t, ignore_index) = -100;
  TORCH_ARG(LossReduction, reduction) = kMean;
  TORCH_ARG(double, label_smoothing) = 0.0;
};

struct SmoothL1LossOptions {
  SmoothL1LossOptions() = default;
  SmoothL1LossOptions(ReductionWord auto reduction) : reduction_(reduction) {}
  TORCH_ARG(LossReduction, reduction) = kMean;
  TORCH_ARG(double, beta) = 1.0;
};

struct HuberLossOptions {
  HuberLossOptions() = default;
  HuberLossOptions(ReductionWord auto reduction) : reduction_(reduction) {}
  TORCH_ARG(LossReduction, reduction) = kMean;
  TORCH_ARG(double, delta) = 1.0;
};

struct LinearOptions {
  LinearOptions(int64_t in_features, int64_t out_features)
      : in_features_(in_features), out_features_(out_features) {}
  TORCH_ARG(int64_t, in_features);
  TORCH_ARG(int64_t, out_features);
  TORCH_ARG(bool, bias) = true;
};

struct EmbeddingOptions {
  EmbeddingOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  TORCH_ARG(int64_t, num_embeddings);
  TORCH_ARG(int64_t, embedding_dim);
  TORCH_ARG(optional<int64_t>, padding_idx) = nullopt;
  TORCH_ARG(optional<double>, max_norm) = nullopt;
  TORCH_ARG(double, norm_type) = 2;
  TORCH_ARG(Tensor, _weight) = {};
};

struct EmbeddingFromPretrainedOptions {
  TORCH_ARG(bool, freeze) = true;
  TORCH_ARG(optional<int64_t>, padding_idx) = nullopt;
  TORCH_ARG(optional<double>, max_norm) = nullopt;
  TORCH_ARG(double, norm_type) = 2;
};

struct BilinearOptions {
  BilinearOptions(int64_t in1_features, int64_t in2_features, int64_t out_features)
      : in1_features_(in1_features), in2_features_(in2_features), out_features_(out_features) {}
  TORCH_ARG(int64_t, in1_features);
  TORCH_ARG(int64_t, in2_features);
  TORCH_ARG(int64_t, out_features);
  TORCH_ARG(bool, bias) = true;
};

struct ReLUOptions {
  ReLUOptions(bool inplace = false) : inplace_(inplace) {}
  TORCH_ARG(bool, inplace);
};

struct LeakyReLUOptions {
  TORCH_ARG(double, negative_slope) = 1e-2;
  TORCH_ARG(bool, inplace) = false;
};

struct ELUOptions {
  TORCH_ARG(double, alpha) = 1.0;
  TORCH_ARG(bool, inplace) = false;
};

struct SoftplusOptions {
  TORCH_ARG(double, beta) = 1.0;
  TORCH_ARG(double, threshold) = 20.0;
};

struct SoftmaxOptions {
  SoftmaxOptions(int64_t dim) : dim_(dim) {}
  TORCH_ARG(int64_t, dim);
};

struct LogSoftmaxOptions {
  LogSoftmaxOptions(int64_t dim) : dim_(dim) {}
  TORCH_ARG(int64_t, dim);
};

struct GELUOptions {
  /// "none" or "tanh"
  TORCH_ARG(std::string, approximate) = "none";
};
struct UnflattenOptions {
  UnflattenOptions(int64_t dim, std::vector<int64_t> sizes) : dim_(dim), sizes_(std::move(sizes)) {}
  TORCH_ARG(int64_t, dim);
  /// Of the dimensions that take its place; one may be -1.
  TORCH_ARG(std::vector<int64_t>, sizes);
};
struct FlattenOptions {
  TORCH_ARG(int64_t, start_dim) = 1;
  TORCH_ARG(int64_t, end_dim) = -1;
};

} // namespace nn
} // namespace gradtidy::runtime
