// Anomaly detection around training and elsewhere.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using Optimizer = torch::optim::Optimizer;
using Tensors = std::vector<torch::Tensor>;

void guard_bad(Net net, Optimizer &optimizer, const Tensors &inputs) {
  torch::autograd::DetectAnomalyGuard guard; // expect: ml-anomaly-mode (level 2): for the whole training
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void without_nan_bad(Net net, Optimizer &optimizer, const Tensors &inputs) {
  torch::autograd::DetectAnomalyGuard guard(/*check_nan=*/false); // expect: ml-anomaly-mode (level 2)
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void trainOn(Net net, Optimizer &optimizer, const Tensors &inputs) {
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}
void by_hand_bad(Net net, Optimizer &optimizer, const Tensors &inputs) {
  torch::autograd::AnomalyMode::set_enabled(true); // expect: ml-anomaly-mode (level 2)
  trainOn(net, optimizer, inputs);
}

void in_the_loop_bad(Net net, Optimizer &optimizer, const Tensors &inputs) {
  for (const auto &x : inputs) {
    torch::autograd::DetectAnomalyGuard guard; // expect: ml-anomaly-mode (level 2)
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void off_ok(Net net, Optimizer &optimizer, const Tensors &inputs) {
  torch::autograd::AnomalyMode::set_enabled(false);
  trainOn(net, optimizer, inputs);
}

void switched_ok(Net net, Optimizer &optimizer, const Tensors &inputs, bool debug) {
  torch::autograd::AnomalyMode::set_enabled(debug);
  trainOn(net, optimizer, inputs);
}

void asked_ok(Net net, Optimizer &optimizer, const Tensors &inputs, bool debug) {
  if (debug)
    torch::autograd::AnomalyMode::set_enabled(true);
  trainOn(net, optimizer, inputs);
}

void kept_ok(Net net, Optimizer &optimizer, const Tensors &inputs, bool debug) {
  std::unique_ptr<torch::autograd::DetectAnomalyGuard> guard;
  if (debug)
    guard = std::make_unique<torch::autograd::DetectAnomalyGuard>();
  trainOn(net, optimizer, inputs);
}

void one_backward_ok(Net net, torch::Tensor x) {
  torch::autograd::DetectAnomalyGuard guard;
  net(x).mean().backward();
}

void nothing_trained_ok(Net net, const Tensors &inputs) {
  torch::autograd::DetectAnomalyGuard guard;
  for (const auto &x : inputs)
    std::printf("%f\n", net(x).mean().item<double>());
}
