#include "AdaptiveSoftmax.h"
#include "../ops/Arithmetic.h"
#include "../ops/Comparisons.h"
#include "../ops/Factories.h"
#include "../ops/Softmax.h"
#include "../ops/Views.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace gradtidy::runtime::nn {

AdaptiveLogSoftmaxWithLossImpl::AdaptiveLogSoftmaxWithLossImpl(
    AdaptiveLogSoftmaxWithLossOptions given)
    : options(std::move(given)) {
  reset();
}

void AdaptiveLogSoftmaxWithLossImpl::reset() {
  const std::vector<int64_t> &starts = options.cutoffs();
  TORCH_CHECK(!starts.empty() && starts.front() > 0 && starts.back() < options.n_classes() &&
                  std::is_sorted(starts.begin(), starts.end(), std::less_equal<>()),
              "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
              "order, where each value is between 1 and n_classes-1");
  cutoffs = starts;
  cutoffs.push_back(options.n_classes());
  shortlist_size = cutoffs[0];
  n_clusters = static_cast<int64_t>(cutoffs.size()) - 1;
  head_size = shortlist_size + n_clusters;
  head = register_module(
      "head", Linear(LinearOptions(options.in_features(), head_size).bias(options.head_bias())));
  tail = register_module("tail", ModuleList());
  for (int64_t i = 0; i < n_clusters; ++i) {
    double smaller = std::pow(options.div_value(), static_cast<double>(i + 1));
    auto width = static_cast<int64_t>(static_cast<double>(options.in_features()) / smaller);
    int64_t classes = cutoffs[i + 1] - cutoffs[i];
    tail->push_back(Sequential(Linear(LinearOptions(options.in_features(), width).bias(false)),
                               Linear(LinearOptions(width, classes).bias(false))));
  }
}

void AdaptiveLogSoftmaxWithLossImpl::reset_parameters() {
  head->reset_parameters();
  for (const auto &cluster : *tail)
    for (const auto &layer : cluster->children())
      layer->as<Linear>()->reset_parameters();
}

Tensor AdaptiveLogSoftmaxWithLossImpl::clusterLogProb(std::size_t cluster, const Tensor &input) {
  return log_softmax(tail->at<SequentialImpl>(cluster).forward(input), 1);
}

ASMoutput AdaptiveLogSoftmaxWithLossImpl::forward(const Tensor &input, const Tensor &target) {
  TORCH_CHECK(input.size(0) == target.size(0),
              "Input and target should have the same size in the batch dimension.");
  TORCH_CHECK(target.numel() == 0 || (target.min().item<int64_t>() >= 0 &&
                                      target.max().item<int64_t>() < options.n_classes()),
              "Target values should be in [0, n_classes - 1]");
  // The place of each target in the head: a class of its own or that of its cluster.
  Tensor place = target.clone();
  Tensor within = zeros(target.sizes(), input.options().requires_grad(false));
  for (std::size_t i = 0; i + 1 < cutoffs.size(); ++i) {
    Tensor rows = target.ge(cutoffs[i]).logical_and(target.lt(cutoffs[i + 1])).nonzero().squeeze(1);
    if (rows.numel() == 0)
      continue;
    Tensor classes = (target.index_select(0, rows) - cutoffs[i]).unsqueeze(1);
    Tensor scores = clusterLogProb(i, input.index_select(0, rows)).gather(1, classes).squeeze(1);
    within = within.index_copy(0, rows, scores);
    place.index_fill_(0, rows, shortlist_size + static_cast<int64_t>(i));
  }
  Tensor inHead = log_softmax(head(input), 1).gather(1, place.unsqueeze(1)).squeeze(1);
  Tensor output = within + inHead;
  return {output, (-output).mean().item<double>()};
}

Tensor AdaptiveLogSoftmaxWithLossImpl::log_prob(const Tensor &input) {
  Tensor inHead = log_softmax(head(input), 1);
  std::vector<Tensor> parts{inHead.slice(1, 0, shortlist_size)};
  for (int64_t i = 0; i < n_clusters; ++i)
    parts.push_back(clusterLogProb(static_cast<std::size_t>(i), input) +
                    inHead.select(1, shortlist_size + i).unsqueeze(1));
  return cat(parts, 1);
}

Tensor AdaptiveLogSoftmaxWithLossImpl::predict(const Tensor &input) {
  return log_prob(input).argmax(1);
}

void AdaptiveLogSoftmaxWithLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::AdaptiveLogSoftmaxWithLoss";
}

} // namespace gradtidy::runtime::nn
