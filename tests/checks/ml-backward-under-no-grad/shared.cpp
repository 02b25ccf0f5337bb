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
