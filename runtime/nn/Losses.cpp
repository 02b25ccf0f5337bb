#include "Losses.h"
#include "../ops/Arithmetic.h"
#include "../ops/Pointwise.h"
#include "../ops/Reductions.h"

#include <ostream>

namespace gradtidy::runtime::nn {
namespace functional {

Tensor kl_div(const Tensor &input, const Tensor &target, const KLDivFuncOptions &options) {
  if (std::holds_alternative<enumtype::kMean>(options.reduction()))
    return runtime::kl_div(input, target, Reduction::Mean, options.log_target());
  if (std::holds_alternative<enumtype::kNone>(options.reduction()))
    return runtime::kl_div(input, target, Reduction::None, options.log_target());
  Tensor sum = runtime::kl_div(input, target, Reduction::Sum, options.log_target());
  bool byBatch = std::holds_alternative<enumtype::kBatchMean>(options.reduction());
  return byBatch && input.dim() != 0 ? sum / input.size(0) : sum;
}

Tensor poisson_nll_loss(const Tensor &input, const Tensor &target,
                        const PoissonNLLLossFuncOptions &options) {
  return runtime::poisson_nll_loss(input, target, options.log_input(), options.full(),
                                   options.eps(), options.reduction());
}

Tensor hinge_embedding_loss(const Tensor &input, const Tensor &target,
                            const HingeEmbeddingLossFuncOptions &options) {
  return runtime::hinge_embedding_loss(input, target, options.margin(), options.reduction());
}

Tensor multi_margin_loss(const Tensor &input, const Tensor &target,
                         const MultiMarginLossFuncOptions &options) {
  TORCH_CHECK(!options.weight().defined() || options.weight().dim() == 1,
              "weight must be one-dimensional");
  return runtime::multi_margin_loss(input, target, options.p(), options.margin(), options.weight(),
                                    options.reduction());
}

Tensor multilabel_margin_loss(const Tensor &input, const Tensor &target,
                              const MultilabelMarginLossFuncOptions &options) {
  return runtime::multilabel_margin_loss(input, target, options.reduction());
}

Tensor soft_margin_loss(const Tensor &input, const Tensor &target,
                        const SoftMarginLossFuncOptions &options) {
  return runtime::soft_margin_loss(input, target, options.reduction());
}

Tensor multilabel_soft_margin_loss(const Tensor &input, const Tensor &target,
                                   const MultilabelSoftMarginLossFuncOptions &options) {
  Tensor loss = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input));
  if (options.weight().defined())
    loss = loss * options.weight();
  return reduceLoss(loss.mean(-1), options.reduction());
}

Tensor cosine_similarity(const Tensor &x1, const Tensor &x2,
                         const CosineSimilarityFuncOptions &options) {
  return runtime::cosine_similarity(x1, x2, options.dim(), options.eps());
}

Tensor pairwise_distance(const Tensor &x1, const Tensor &x2,
                         const PairwiseDistanceFuncOptions &options) {
  return runtime::pairwise_distance(x1, x2, options.p(), options.eps(), options.keepdim());
}

Tensor margin_ranking_loss(const Tensor &input1, const Tensor &input2, const Tensor &target,
                           const MarginRankingLossFuncOptions &options) {
  TORCH_CHECK(input1.dim() == input2.dim() && input1.dim() == target.dim(),
              "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
              "input1: ",
              toText(input1.sizes()), ", input2: ", toText(input2.sizes()),
              ", target: ", toText(target.sizes()));
  return runtime::margin_ranking_loss(input1, input2, target, options.margin(),
                                      options.reduction());
}

Tensor cosine_embedding_loss(const Tensor &input1, const Tensor &input2, const Tensor &target,
                             const CosineEmbeddingLossFuncOptions &options) {
  return runtime::cosine_embedding_loss(input1, input2, target, options.margin(),
                                        options.reduction());
}

Tensor triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative,
                           const TripletMarginLossFuncOptions &options) {
  return runtime::triplet_margin_loss(anchor, positive, negative, options.margin(), options.p(),
                                      options.eps(), options.swap(), options.reduction());
}

Tensor triplet_margin_with_distance_loss(const Tensor &anchor, const Tensor &positive,
                                         const Tensor &negative,
                                         const TripletMarginWithDistanceLossFuncOptions &options) {
  auto distance = [&](const Tensor &a, const Tensor &b) {
    return options.distance_function() ? (*options.distance_function())(a, b)
                                       : runtime::pairwise_distance(a, b);
  };
  Tensor near = distance(anchor, positive), far = distance(anchor, negative);
  if (options.swap())
    far = minimum(far, distance(positive, negative));
  return reduceLoss((near - far + options.margin()).clamp_min(0), options.reduction());
}

} // namespace functional

namespace {

const char *word(bool value) { return value ? "true" : "false"; }

} // namespace

void CTCLossImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::CTCLoss()"; }
void KLDivLossImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::KLDivLoss()"; }
void PoissonNLLLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::PoissonNLLLoss()";
}
void HingeEmbeddingLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::HingeEmbeddingLoss(margin=" << options.margin() << ")";
}
void MultiMarginLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::MultiMarginLoss(p=" << options.p() << ", margin=" << options.margin()
         << ", weight=" << options.weight() << ", reduction=" << options.reduction().name() << ")";
}
void MultiLabelMarginLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::MultiLabelMarginLoss()";
}
void SoftMarginLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::SoftMarginLoss()";
}
void MultiLabelSoftMarginLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::MultiLabelSoftMarginLoss()";
}
void CosineSimilarityImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::CosineSimilarity(dim=" << options.dim() << ", eps=" << options.eps() << ")";
}
void PairwiseDistanceImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::PairwiseDistance(p=" << options.p() << ", eps=" << options.eps()
         << ", keepdim=" << word(options.keepdim()) << ")";
}
void MarginRankingLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::MarginRankingLoss()";
}
void CosineEmbeddingLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::CosineEmbeddingLoss(margin=" << options.margin() << ")";
}
void TripletMarginLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::TripletMarginLoss(margin=" << options.margin() << ", p=" << options.p()
         << ", eps=" << options.eps() << ", swap=" << word(options.swap()) << ")";
}
void TripletMarginWithDistanceLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::TripletMarginWithDistanceLoss(margin=" << options.margin()
         << ", swap=" << word(options.swap()) << ")";
}

} // namespace gradtidy::runtime::nn
