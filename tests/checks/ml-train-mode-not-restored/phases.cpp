// Phases are values of an enumeration: what is one of them is no other.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 1));
    dropout = register_module("dropout", torch::nn::Dropout(0.5));
  }
  torch::Tensor forward(torch::Tensor x) { return dropout(hidden(x)); }
  torch::nn::Linear hidden{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Net);
using Optimizer = torch::optim::Optimizer;
enum class Phase { Train, Validate, Test };

void run(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y, Phase phase) {
  switch (phase) {
  case Phase::Train:
    net->train();
    break;
  case Phase::Validate:
  case Phase::Test:
    net->eval();
    break;
  }
  torch::AutoGradMode mode(phase == Phase::Train);
  auto loss = torch::mse_loss(net(x), y);
  if (phase == Phase::Train) {
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}
void switch_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto phase : {Phase::Train, Phase::Validate})
      run(net, optimizer, x, y, phase);
}

void runUnless(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y, Phase phase) {
  if (phase != Phase::Validate)
    net->train();
  else
    net->eval();
  torch::AutoGradMode mode(phase == Phase::Train);
  auto loss = torch::mse_loss(net(x), y);
  if (phase == Phase::Train) {
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}
void excluded_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->train();
    for (auto phase : {Phase::Train, Phase::Validate})
      runUnless(net, optimizer, x, y, phase);
  }
}

void runOff(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y, Phase phase) {
  switch (phase) {
  case Phase::Train:
    break;
  default:
    net->eval(); // expect: ml-train-mode-not-restored
  }
  torch::AutoGradMode mode(phase == Phase::Train);
  auto loss = torch::mse_loss(net(x), y);
  if (phase == Phase::Train) {
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}
void never_on_again_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto phase : {Phase::Train, Phase::Validate})
      runOff(net, optimizer, x, y, phase);
}
