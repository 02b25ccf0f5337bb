// Softmax over very many classes (E. Grave et al., https://arxiv.org/abs/1609.04309): frequent ones
// have scores of their own, rare ones share one for their cluster and are told apart within it, by
// ever smaller layers.
#pragma once

#include "Containers.h"
#include "Layers.h"

namespace gradtidy::runtime::nn {

struct AdaptiveLogSoftmaxWithLossOptions {
  AdaptiveLogSoftmaxWithLossOptions(int64_t inFeatures, int64_t classes,
                                    std::vector<int64_t> cutoffs)
      : in_features_(inFeatures), n_classes_(classes), cutoffs_(std::move(cutoffs)) {}
  TORCH_ARG(int64_t, in_features);
  TORCH_ARG(int64_t, n_classes);
  /// The first class of each cluster.
  TORCH_ARG(std::vector<int64_t>, cutoffs);
  /// Each cluster's layer has so many times fewer features than the one before.
  TORCH_ARG(double, div_value) = 4;
  TORCH_ARG(bool, head_bias) = false;
};

/// The logarithmic probability of each target, and the mean of their negatives as a number.
struct ASMoutput {
  Tensor output;
  double loss;
};

class AdaptiveLogSoftmaxWithLossImpl : public Cloneable<AdaptiveLogSoftmaxWithLossImpl> {
public:
  AdaptiveLogSoftmaxWithLossImpl(int64_t inFeatures, int64_t classes, std::vector<int64_t> cutoffs)
      : AdaptiveLogSoftmaxWithLossImpl(
            AdaptiveLogSoftmaxWithLossOptions(inFeatures, classes, std::move(cutoffs))) {}
  explicit AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;

  ASMoutput forward(const Tensor &input, const Tensor &target);
  /// The logarithmic probabilities of all classes.
  Tensor log_prob(const Tensor &input);
  /// The class of the largest one.
  Tensor predict(const Tensor &input);

  AdaptiveLogSoftmaxWithLossOptions options;
  /// With the number of classes behind them.
  std::vector<int64_t> cutoffs;
  int64_t shortlist_size = 0, n_clusters = 0, head_size = 0;
  Linear head{nullptr};
  ModuleList tail;

private:
  Tensor clusterLogProb(std::size_t cluster, const Tensor &input);
};
TORCH_MODULE(AdaptiveLogSoftmaxWithLoss);

} // namespace gradtidy::runtime::nn
