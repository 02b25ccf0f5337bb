// Gradients are cleared through what handles reach them.
#include <torch/torch.h>
#include <vector>

using Net = torch::nn::Linear;
using SGD = torch::optim::SGD;

void apply_ok(Net net, SGD &optimizer, torch::Tensor x) {
  for (int i = 0; i < 10; ++i) {
    net(x).mean().backward();
    optimizer.step();
    net->apply([](torch::nn::Module &module) { module.zero_grad(); });
  }
}
void apply_bad(Net net, SGD &optimizer, torch::Tensor x) {
  for (int i = 0; i < 10; ++i) {
    net(x).mean().backward();
    optimizer.step(); // expect: ml-missing-zero-grad
    net->apply([](torch::nn::Module &module) { module.train(); });
  }
}
void collected_ok(Net net, SGD &optimizer, torch::Tensor x) {
  for (int i = 0; i < 10; ++i) {
    net(x).mean().backward();
    optimizer.step();
    std::vector<torch::Tensor> gradients;
    for (auto &parameter : net->parameters())
      gradients.push_back(parameter.grad());
    for (auto &gradient : gradients)
      gradient.zero_();
  }
}
void decayed_ok(Net net, SGD &optimizer, torch::Tensor x) {
  for (int i = 0; i < 10; ++i) {
    net(x).mean().backward();
    optimizer.step();
    for (auto &parameter : net->parameters())
      parameter.mutable_grad().mul_(0);
  }
}
void looked_at_bad(Net net, SGD &optimizer, torch::Tensor x) {
  double norm = 0;
  for (int i = 0; i < 10; ++i) {
    net(x).mean().backward();
    optimizer.step(); // expect: ml-missing-zero-grad
    for (auto &parameter : net->parameters())
      norm += parameter.grad().norm().item<double>();
  }
}
