// One function for training and evaluation: what decides on the backward need not be a flag.
#include <memory>
#include <optional>
#include <torch/torch.h>
#include <vector>

using Net = torch::nn::Linear;
using SGD = torch::optim::SGD;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
enum class Phase { Train, Test };

double ifAsked(Net &net, SGD &optimizer, const Batch &batch) {
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  if (torch::GradMode::is_enabled()) {
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  return loss.item<double>();
}
double ifPhase(Net &net, SGD &optimizer, const Batch &batch, Phase phase) {
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  switch (phase) {
  case Phase::Train:
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    break;
  case Phase::Test:
    break;
  }
  return loss.item<double>();
}
double unlessNull(Net &net, SGD *optimizer, const Batch &batch) {
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  if (optimizer == nullptr)
    return loss.item<double>();
  optimizer->zero_grad();
  loss.backward();
  optimizer->step();
  return loss.item<double>();
}
void shared_ok(Net net, const Batches &batches) {
  SGD optimizer(net->parameters(), 0.1);
  for (const auto &batch : batches) {
    ifAsked(net, optimizer, batch);
    ifPhase(net, optimizer, batch, Phase::Train);
    unlessNull(net, &optimizer, batch);
  }
  torch::NoGradGuard noGrad;
  for (const auto &batch : batches) {
    ifAsked(net, optimizer, batch);
    ifPhase(net, optimizer, batch, Phase::Test);
    unlessNull(net, nullptr, batch);
  }
}

// Nothing is asked: who calls it under the guard is wrong.
void always(Net &net, SGD &optimizer, const Batch &batch) {
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  optimizer.zero_grad();
  loss.backward(); // expect: ml-backward-under-no-grad
  optimizer.step();
}
void shared_bad(Net net, const Batches &batches) {
  SGD optimizer(net->parameters(), 0.1);
  for (const auto &batch : batches)
    always(net, optimizer, batch);
  torch::NoGradGuard noGrad;
  for (const auto &batch : batches)
    always(net, optimizer, batch);
}

// A guard that is not there yet.
double optional_ok(Net net, SGD *optimizer, const Batch &batch) {
  std::optional<torch::NoGradGuard> guard;
  if (!optimizer)
    guard.emplace();
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  if (optimizer) {
    optimizer->zero_grad();
    loss.backward();
    optimizer->step();
  }
  return loss.item<double>();
}
void never_there_ok(Net net, SGD &optimizer, const Batch &batch) {
  std::optional<torch::NoGradGuard> guard = std::nullopt;
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
}
void there_bad(Net net, SGD &optimizer, const Batch &batch) {
  std::optional<torch::NoGradGuard> guard;
  guard.emplace();
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  optimizer.zero_grad();
  loss.backward(); // expect: ml-backward-under-no-grad
  optimizer.step();
}

// A guard that is gone again.
void reset_ok(Net net, SGD &optimizer, const Batch &batch) {
  auto guard = std::make_unique<torch::NoGradGuard>();
  auto before = net(batch.data);
  guard.reset();
  auto loss = torch::mse_loss(net(batch.data), before);
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
}
void emptied_ok(Net net, SGD &optimizer, const Batch &batch) {
  std::optional<torch::NoGradGuard> guard(std::in_place);
  auto before = net(batch.data);
  guard = std::nullopt;
  auto loss = torch::mse_loss(net(batch.data), before);
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
}
void assigned_bad(Net net, SGD &optimizer, const Batch &batch) {
  std::unique_ptr<torch::NoGradGuard> guard;
  guard = std::make_unique<torch::NoGradGuard>();
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  optimizer.zero_grad();
  loss.backward(); // expect: ml-backward-under-no-grad
  optimizer.step();
}

// What code that cannot be seen gives may have a graph, also in a list.
std::vector<torch::Tensor> lossesOf(const std::vector<torch::Tensor> &found, torch::Tensor wanted) {
  std::vector<torch::Tensor> losses;
  for (auto &each : found)
    losses.push_back(torch::mse_loss(each, wanted));
  return losses;
}

torch::Tensor unseen(int64_t index);

void in_lists_ok(torch::nn::Linear teacher, torch::Tensor x) {
  torch::Tensor wanted;
  {
    torch::NoGradGuard guard;
    wanted = teacher(x);
  }
  std::vector<torch::Tensor> found;
  for (int i = 0; i < 3; ++i)
    found.push_back(unseen(i));
  torch::Tensor sum = torch::tensor(0.0);
  for (auto &loss : lossesOf(found, wanted))
    sum += loss;
  sum.backward();
}

// A function that leaves the mode as it found it.
torch::Tensor gradientOf(torch::Tensor y, torch::Tensor x) {
  auto mode = torch::GradMode::is_enabled();
  torch::GradMode::set_enabled(true);
  auto gradient = torch::autograd::grad({y}, {x})[0];
  torch::GradMode::set_enabled(mode);
  return gradient;
}

void restored_ok(torch::nn::Linear net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  for (int i = 0; i < 9; ++i) {
    torch::GradMode::set_enabled(true);
    x.requires_grad_(true);
    auto y = net(x).sum();
    auto gradient = gradientOf(y, x);
    auto loss = (net(x) * gradient).sum();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    torch::NoGradGuard guard;
    gradientOf(y, x);
  }
}

void restored_bad(torch::nn::Linear net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  torch::NoGradGuard guard;
  gradientOf(x.sum(), x);
  auto loss = net(x).sum();
  loss.backward(); // expect: ml-backward-under-no-grad
}

// Parameters that are changed in place under a guard are parameters still.
void averaged(std::vector<torch::Tensor> &targets, const std::vector<torch::Tensor> &sources) {
  torch::NoGradGuard guard;
  for (size_t i = 0; i < targets.size(); ++i)
    targets[i].mul_(0.9).add_(sources[i], 0.1);
}

void averaged_ok(torch::nn::Linear net, torch::optim::Optimizer &optimizer, torch::Tensor x,
                 std::vector<torch::Tensor> &weights, std::vector<torch::Tensor> &averages) {
  for (int i = 0; i < 9; ++i) {
    auto loss = (net(x) * averages[0]).sum();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    (x * averages[0]).sum().backward();
    averaged(averages, weights);
  }
}
