// What callers say in flags decides whether the backward runs, and under what.
#include <torch/torch.h>
#include <vector>

using Net = torch::nn::Linear;
using Optimizer = torch::optim::Optimizer;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;

double handle(Net &net, Optimizer &optimizer, const Batch &batch, bool learns) {
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  if (learns) {
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  return loss.item<double>();
}
void literal_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches)
    handle(net, optimizer, batch, true);
  torch::NoGradGuard noGrad;
  for (const auto &batch : batches)
    handle(net, optimizer, batch, false);
}

// Nobody here asks it to learn.
double judge(Net &net, Optimizer &optimizer, const Batch &batch, bool learns = false) {
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  if (!learns)
    return loss.item<double>();
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
  return loss.item<double>();
}
void only_false_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  torch::NoGradGuard noGrad;
  for (const auto &batch : batches)
    judge(net, optimizer, batch);
}

double pass(Net &net, Optimizer &optimizer, const Batches &batches, bool evaluates) {
  torch::AutoGradMode mode(!evaluates);
  double sum = 0;
  for (const auto &batch : batches)
    sum += handle(net, optimizer, batch, !evaluates);
  return sum;
}
void handed_on_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    pass(net, optimizer, batches, false);
    pass(net, optimizer, batches, true);
  }
}

double mixedUp(Net &net, Optimizer &optimizer, const Batches &batches, bool learns) {
  torch::AutoGradMode mode(!learns);
  double sum = 0;
  for (const auto &batch : batches) {
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    if (learns) {
      optimizer.zero_grad();
      loss.backward(); // expect: ml-backward-under-no-grad (no fix)
      optimizer.step();
    }
    sum += loss.item<double>();
  }
  return sum;
}
void mixed_up_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  mixedUp(net, optimizer, batches, true);
}

double fitUnderTheGuard(Net &net, Optimizer &optimizer, const Batch &batch, bool learns) {
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  if (learns) {
    optimizer.zero_grad();
    loss.backward(); // expect: ml-backward-under-no-grad
    optimizer.step();
  }
  return loss.item<double>();
}
void literal_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  torch::NoGradGuard noGrad;
  for (const auto &batch : batches)
    fitUnderTheGuard(net, optimizer, batch, true);
}

// No caller takes this way; what is wrong on it is wrong all the same.
double neverLearns(Net &net, Optimizer &optimizer, const Batch &batch, bool learns) {
  if (!learns) {
    torch::NoGradGuard noGrad;
    return torch::mse_loss(net(batch.data), batch.target).item<double>();
  }
  torch::NoGradGuard noGrad;
  optimizer.zero_grad();
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  loss.backward(); // expect: ml-backward-under-no-grad
  optimizer.step();
  return loss.item<double>();
}
void never_taken_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches)
    neverLearns(net, optimizer, batch, false);
}
