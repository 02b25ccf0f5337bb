// overfitTinyBatch: trains on one tiny batch until its loss is next to nothing, which every sound
// program can; where it does not get there, says what is likely to be wrong.
//
//   auto report = gradtidy::overfitTinyBatch(
//       *model, optimizer, input, target, [&](auto x) { return model(x); },
//       [](auto output, auto target) { return torch::mse_loss(output, target); });
//   std::cout << report.text();
//
// Causes are listed in the order in which to look at them: that nothing can be learnt (no graph,
// parameters that the optimizer does not own, gradients missing, zero or not finite), that the
// steps are wrong (learning rate), that the trial is not a fair one (mode, random forward), that
// the task is wrong (labels, reduction of the loss). 8 to 32 samples are a tiny batch. Two hundred
// steps must bring the loss to a twentieth (after Karpathy, "A Recipe for Training Neural
// Networks", 2019).
//
// Parameters and buffers are restored; the optimizer keeps what it has learnt of the steps, so make
// it anew for the training.
#pragma once

#include "detail/Tensors.h"
#include "detail/Text.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gradtidy {

struct OverfitOptions {
  int64_t steps = 200;
  double factor = 0.05; ///< passed where the last loss is below this share of the first
};

struct OverfitReport {
  bool passed = false;
  std::vector<double> losses;      ///< before each step, and after the last
  std::vector<std::string> causes; ///< the likeliest first; empty where it passed

  std::string text() const {
    std::string text = passed ? "passed" : "FAILED";
    if (!losses.empty())
      text += detail::formatted(": loss %.4g to %.4g in %zu steps", losses.front(), losses.back(),
                                losses.size() - 1);
    text += '\n';
    for (std::size_t i = 0; i < causes.size(); ++i)
      text += detail::formatted("  %zu. ", i + 1) + causes[i] + '\n';
    return text;
  }
};

using ForwardFunction = std::function<torch::Tensor(const torch::Tensor &input)>;
using LossFunction =
    std::function<torch::Tensor(const torch::Tensor &output, const torch::Tensor &target)>;

namespace detail {

class OverfitTrial {
public:
  OverfitTrial(torch::nn::Module &module, torch::optim::Optimizer &optimizer, torch::Tensor input,
               torch::Tensor target, ForwardFunction forward, LossFunction loss,
               OverfitOptions options)
      : module(module), optimizer(optimizer), input(std::move(input)), target(std::move(target)),
        forward(std::move(forward)), loss(std::move(loss)), options(options),
        parameters(namedParameters(module)) {
    for (const NamedTensor &item : namedTensors(module))
      saved.emplace_back(item.tensor, item.tensor.detach().clone());
  }
  ~OverfitTrial() {
    restore();
    module.zero_grad();
  }
  OverfitTrial(const OverfitTrial &) = delete;
  OverfitTrial &operator=(const OverfitTrial &) = delete;

  OverfitReport run() {
    const torch::Tensor first = lossNow();
    if (first.numel() != 1)
      cause("the loss is no single number but of shape " + shapeText(first.sizes()) +
            ": its reduction is none");
    else if (!first.requires_grad())
      cause("the loss has no graph: the forward runs without gradients, under a NoGradGuard or "
            "behind detach(), item() or data()");
    if (!report.causes.empty())
      return report;
    first.backward();
    lookAtOwnership();
    lookAtGradients();
    train();
    const double begin = report.losses.front(), end = report.losses.back();
    report.passed = std::isfinite(end) && end < options.factor * begin;
    if (report.passed) {
      report.causes.clear();
      return report;
    }
    lookAtSteps();
    restore(); // steps may have led to NaN
    lookAtMode();
    lookAtTask();
    if (report.causes.empty())
      cause(end < 0.999 * report.losses[report.losses.size() * 3 / 4]
                ? "the loss still falls: more steps or a larger learning rate"
                : "nothing found: the model may be too small for the task");
    return report;
  }

private:
  void cause(const std::string &text) { report.causes.push_back(text); }
  void cause(const char *text, const std::vector<std::string> &names) {
    if (!names.empty())
      cause(formatted(text, names.size(), parameters.size()) + ": " + listText(names));
  }

  void restore() {
    torch::NoGradGuard guard;
    for (const auto &entry : saved)
      entry.first.detach().copy_(entry.second);
  }

  torch::Tensor lossNow() {
    module.zero_grad();
    optimizer.zero_grad();
    return loss(forward(input), target);
  }

  void lookAtOwnership() {
    std::set<void *> owned;
    for (const auto &group : optimizer.param_groups())
      for (const torch::Tensor &parameter : group.params())
        owned.insert(parameter.unsafeGetTensorImpl());
    std::vector<std::string> strangers;
    for (const NamedTensor &item : parameters)
      if (item.tensor.requires_grad() && owned.count(item.tensor.unsafeGetTensorImpl()) == 0)
        strangers.push_back(item.name);
    cause("the optimizer does not own %zu of %zu parameters (was it made before they were?)",
          strangers);
  }

  void lookAtGradients() {
    std::vector<std::string> frozen, missing, zero, broken;
    for (const NamedTensor &item : parameters) {
      const torch::Tensor gradient = item.tensor.grad();
      if (!item.tensor.requires_grad()) {
        frozen.push_back(item.name);
      } else if (!gradient.defined()) {
        missing.push_back(item.name);
      } else {
        const double norm = gradient.norm().item<double>();
        if (norm == 0)
          zero.push_back(item.name);
        if (!std::isfinite(norm))
          broken.push_back(item.name);
      }
    }
    cause("%zu of %zu parameters get no gradient (are they used in forward?)", missing);
    cause("%zu of %zu parameters do not require a gradient", frozen);
    cause("%zu of %zu parameters have gradients that are not finite (gradtidy::NanFinder)", broken);
    cause("%zu of %zu parameters have a gradient of 0 (dead ReLUs, saturation, a factor of 0)",
          zero);
  }

  void train() {
    for (int64_t i = 0; i < options.steps; ++i) {
      report.losses.push_back(optimizer
                                  .step([this] {
                                    torch::Tensor now = lossNow();
                                    now.backward();
                                    return now;
                                  })
                                  .item<double>());
      if (i == 0)
        firstStep = lengthOfStep();
      if (!std::isfinite(report.losses.back()))
        return;
    }
    report.losses.push_back(lossNow().item<double>());
  }

  /// How far the parameters have moved, as a share of their length.
  double lengthOfStep() const {
    torch::NoGradGuard guard;
    double moved = 0, length = 0;
    for (const auto &entry : saved)
      if (entry.first.requires_grad()) {
        moved += std::pow((entry.first - entry.second).norm().item<double>(), 2);
        length += std::pow(entry.second.norm().item<double>(), 2);
      }
    return std::sqrt(moved / std::max(length, 1e-30));
  }

  void lookAtSteps() {
    const double begin = report.losses.front(), end = report.losses.back();
    if (!std::isfinite(begin))
      cause("the loss is not finite from the start");
    else if (!(end < 2 * begin))
      cause(
          formatted("the loss rises from %.4g to %.4g: the learning rate is too large, or the sign "
                    "of the loss is wrong",
                    begin, end));
    else if (firstStep == 0 && report.causes.empty())
      cause("the first step changes no parameter: is the learning rate 0?");
    else if (firstStep > 0 && firstStep < 1e-5)
      cause(formatted(
          "the first step moves the parameters by %.1g of their length: the learning rate "
          "is too small",
          firstStep));
  }

  void lookAtMode() {
    if (!module.is_training())
      cause("the model is in evaluation mode: call train()");
    torch::NoGradGuard guard;
    const torch::Tensor once = forward(input), again = forward(input);
    if (once.sizes() == again.sizes() && !torch::allclose(once, again, 1e-3, 1e-5, true))
      cause("two forwards of the same batch differ: switch dropout, noise and augmentation off");
  }

  void lookAtTask() {
    torch::NoGradGuard guard;
    const torch::Tensor output = forward(input);
    if (target.is_floating_point() && output.dim() != target.dim())
      cause("output " + shapeText(output.sizes()) + " and target " + shapeText(target.sizes()) +
            " are broadcast: every output is compared with every target");
    lookAtSamples(output);
    lookAtReduction(output);
  }

  void lookAtSamples(const torch::Tensor &output) {
    const int64_t count = input.dim() > 0 && target.dim() > 0 && output.dim() > 0 &&
                                  input.size(0) == target.size(0) && output.size(0) == input.size(0)
                              ? input.size(0)
                              : 0;
    bool alike = count > 1, contradicted = false;
    for (int64_t i = 1; i < count; ++i) {
      alike = alike && torch::allclose(output[i], output[0], 1e-4, 1e-6);
      for (int64_t j = 0; j < i && !contradicted; ++j)
        if (torch::equal(input[i], input[j]) && !torch::equal(target[i], target[j])) {
          contradicted = true;
          cause(formatted("samples %lld and %lld have equal inputs and different targets",
                          (long long)j, (long long)i));
        }
    }
    if (alike)
      cause("all samples get the same output: nothing of the input comes through");
  }

  void lookAtReduction(const torch::Tensor &output) {
    const int64_t count = output.dim() > 0 ? output.size(0) : 0;
    if (count < 2 || target.dim() == 0 || target.size(0) != count)
      return;
    auto of = [&](int64_t from, int64_t to) {
      return loss(output.slice(0, from, to), target.slice(0, from, to)).item<double>();
    };
    const double all = of(0, count), parts = of(0, count / 2) + of(count / 2, count);
    if (std::abs(all - parts) < 1e-3 * std::abs(all))
      cause("the loss is a sum over the batch: its steps grow with the batch size, take the mean");
  }

  torch::nn::Module &module;
  torch::optim::Optimizer &optimizer;
  torch::Tensor input, target;
  ForwardFunction forward;
  LossFunction loss;
  OverfitOptions options;
  std::vector<NamedTensor> parameters;
  std::vector<std::pair<torch::Tensor, torch::Tensor>> saved; ///< with their values at the start
  double firstStep = 0;
  OverfitReport report;
};

} // namespace detail

/// `input` and `target` are the tiny batch; `loss` gives one number.
inline OverfitReport overfitTinyBatch(torch::nn::Module &module, torch::optim::Optimizer &optimizer,
                                      torch::Tensor input, torch::Tensor target,
                                      ForwardFunction forward, LossFunction loss,
                                      OverfitOptions options = {}) {
  return detail::OverfitTrial(module, optimizer, std::move(input), std::move(target),
                              std::move(forward), std::move(loss), options)
      .run();
}

} // namespace gradtidy
