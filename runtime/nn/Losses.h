// Losses beside those of Layers.h: divergences, and those that ask for a margin.
#pragma once

#include "../ops/CtcLoss.h"
#include "../ops/MarginLosses.h"
#include "Options.h"

namespace gradtidy::runtime::nn {

struct KLDivLossOptions {
  using reduction_t =
      std::variant<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;
  KLDivLossOptions() = default;
  template <class Word>
  KLDivLossOptions(Word reduction)
    requires std::is_convertible_v<Word, reduction_t>
      : reduction_(reduction) {}
  TORCH_ARG(reduction_t, reduction) = kMean;
  TORCH_ARG(bool, log_target) = false;
};

struct PoissonNLLLossOptions {
  TORCH_ARG(bool, log_input) = true;
  TORCH_ARG(bool, full) = false;
  TORCH_ARG(double, eps) = 1e-8;
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct HingeEmbeddingLossOptions {
  TORCH_ARG(double, margin) = 1.0;
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct MarginRankingLossOptions {
  TORCH_ARG(double, margin) = 0;
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct CosineEmbeddingLossOptions {
  TORCH_ARG(double, margin) = 0.0;
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct MultiMarginLossOptions {
  TORCH_ARG(int64_t, p) = 1;
  TORCH_ARG(double, margin) = 1.0;
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct MultiLabelMarginLossOptions {
  MultiLabelMarginLossOptions() = default;
  MultiLabelMarginLossOptions(ReductionWord auto reduction) : reduction_(reduction) {}
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct SoftMarginLossOptions {
  SoftMarginLossOptions() = default;
  SoftMarginLossOptions(ReductionWord auto reduction) : reduction_(reduction) {}
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct MultiLabelSoftMarginLossOptions {
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct TripletMarginLossOptions {
  TORCH_ARG(double, margin) = 1.0;
  TORCH_ARG(double, p) = 2.0;
  TORCH_ARG(double, eps) = 1e-6;
  TORCH_ARG(bool, swap) = false;
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct TripletMarginWithDistanceLossOptions {
  using distance_function_t = std::function<Tensor(const Tensor &, const Tensor &)>;
  TORCH_ARG(optional<distance_function_t>, distance_function) = nullopt;
  TORCH_ARG(double, margin) = 1.0;
  TORCH_ARG(bool, swap) = false;
  TORCH_ARG(LossReduction, reduction) = kMean;
};

struct CosineSimilarityOptions {
  TORCH_ARG(int64_t, dim) = 1;
  TORCH_ARG(double, eps) = 1e-8;
};

struct PairwiseDistanceOptions {
  TORCH_ARG(double, p) = 2.0;
  TORCH_ARG(double, eps) = 1e-6;
  TORCH_ARG(bool, keepdim) = false;
};

struct CTCLossOptions {
  TORCH_ARG(int64_t, blank) = 0;
  TORCH_ARG(LossReduction, reduction) = kMean;
  TORCH_ARG(bool, zero_infinity) = false;
};

// A functional form, its options and a module, of two or of three tensors.
#define GRADTIDY_LOSS2(Name, Prefix, function)                                                     \
  namespace functional {                                                                           \
  using Prefix##FuncOptions = Name##Options;                                                       \
  Tensor function(const Tensor &input, const Tensor &target,                                       \
                  const Prefix##FuncOptions &options = {});                                        \
  }                                                                                                \
  class Name##Impl : public Stateless<Name##Impl, Name##Options> {                                 \
  public:                                                                                          \
    using Stateless::Stateless;                                                                    \
    void pretty_print(std::ostream &stream) const override;                                        \
    Tensor forward(const Tensor &input, const Tensor &target) {                                    \
      return functional::function(input, target, options);                                         \
    }                                                                                              \
  };                                                                                               \
  TORCH_MODULE(Name);
#define GRADTIDY_LOSS3(Name, Prefix, function)                                                     \
  namespace functional {                                                                           \
  using Prefix##FuncOptions = Name##Options;                                                       \
  Tensor function(const Tensor &first, const Tensor &second, const Tensor &third,                  \
                  const Prefix##FuncOptions &options = {});                                        \
  }                                                                                                \
  class Name##Impl : public Stateless<Name##Impl, Name##Options> {                                 \
  public:                                                                                          \
    using Stateless::Stateless;                                                                    \
    void pretty_print(std::ostream &stream) const override;                                        \
    Tensor forward(const Tensor &first, const Tensor &second, const Tensor &third) {               \
      return functional::function(first, second, third, options);                                  \
    }                                                                                              \
  };                                                                                               \
  TORCH_MODULE(Name);
GRADTIDY_LOSS2(KLDivLoss, KLDiv, kl_div)
GRADTIDY_LOSS2(PoissonNLLLoss, PoissonNLLLoss, poisson_nll_loss)
GRADTIDY_LOSS2(HingeEmbeddingLoss, HingeEmbeddingLoss, hinge_embedding_loss)
GRADTIDY_LOSS2(MultiMarginLoss, MultiMarginLoss, multi_margin_loss)
GRADTIDY_LOSS2(MultiLabelMarginLoss, MultilabelMarginLoss, multilabel_margin_loss)
GRADTIDY_LOSS2(SoftMarginLoss, SoftMarginLoss, soft_margin_loss)
GRADTIDY_LOSS2(MultiLabelSoftMarginLoss, MultilabelSoftMarginLoss, multilabel_soft_margin_loss)
GRADTIDY_LOSS2(CosineSimilarity, CosineSimilarity, cosine_similarity)
GRADTIDY_LOSS2(PairwiseDistance, PairwiseDistance, pairwise_distance)
/// Two inputs, and a target of 1 where the first should be larger, else -1.
GRADTIDY_LOSS3(MarginRankingLoss, MarginRankingLoss, margin_ranking_loss)
/// Two inputs, and a target of 1 where they should be alike, else -1.
GRADTIDY_LOSS3(CosineEmbeddingLoss, CosineEmbeddingLoss, cosine_embedding_loss)
/// An anchor, something near it and something far.
GRADTIDY_LOSS3(TripletMarginLoss, TripletMarginLoss, triplet_margin_loss)
GRADTIDY_LOSS3(TripletMarginWithDistanceLoss, TripletMarginWithDistanceLoss,
               triplet_margin_with_distance_loss)
#undef GRADTIDY_LOSS2
#undef GRADTIDY_LOSS3

namespace functional {
using CTCLossFuncOptions = CTCLossOptions;
inline Tensor ctc_loss(const Tensor &logProbabilities, const Tensor &targets,
                       const Tensor &inputLengths, const Tensor &targetLengths,
                       const CTCLossFuncOptions &options = {}) {
  return runtime::ctc_loss(logProbabilities, targets, inputLengths, targetLengths, options.blank(),
                           options.reduction(), options.zero_infinity());
}
} // namespace functional

/// Of sequences of labels that are not aligned with the input; see ops/CtcLoss.h.
class CTCLossImpl : public Stateless<CTCLossImpl, CTCLossOptions> {
public:
  using Stateless::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &logProbabilities, const Tensor &targets, const Tensor &inputLengths,
                 const Tensor &targetLengths) {
    return functional::ctc_loss(logProbabilities, targets, inputLengths, targetLengths, options);
  }
};
TORCH_MODULE(CTCLoss);

} // namespace gradtidy::runtime::nn
