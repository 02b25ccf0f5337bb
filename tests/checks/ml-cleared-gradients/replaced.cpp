// Gradients that the program computes itself are gradients.
#include <torch/torch.h>
#include <vector>

using Net = torch::nn::Linear;
using SGD = torch::optim::SGD;

void clipped_ok(Net net, torch::Tensor x) {
  SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    for (auto &parameter : net->parameters())
      parameter.mutable_grad() = parameter.grad().clamp(-1, 1);
    optimizer.step();
  }
}
void copied_ok(Net net, torch::Tensor x) {
  SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    for (auto &parameter : net->parameters())
      parameter.mutable_grad().copy_(parameter.grad() * 0.5);
    optimizer.step();
  }
}
void put_back_ok(Net net, torch::Tensor x) {
  SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    std::vector<torch::Tensor> kept;
    for (auto &parameter : net->parameters())
      kept.push_back(parameter.grad().clone());
    optimizer.zero_grad();
    size_t next = 0;
    for (auto &parameter : net->parameters())
      parameter.mutable_grad() = kept[next++];
    optimizer.step();
  }
}
void undefined_bad(Net net, torch::Tensor x) {
  SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    for (auto &parameter : net->parameters())
      parameter.mutable_grad() = torch::Tensor(); // expect: ml-cleared-gradients (no fix)
    optimizer.step();
  }
}
void zeros_bad(Net net, torch::Tensor x) {
  SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    for (auto &parameter : net->parameters())
      parameter.mutable_grad().fill_(0); // expect: ml-cleared-gradients (no fix)
    optimizer.step();
  }
}
