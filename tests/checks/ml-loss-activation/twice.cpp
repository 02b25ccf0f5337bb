// Activations of what has been through one.
#include <torch/torch.h>

namespace nn = torch::nn;

struct CriticImpl : nn::Module {
  CriticImpl() { out = register_module("out", nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return torch::sigmoid(out(x)); }
  nn::Linear out{nullptr};
};
TORCH_MODULE(Critic);

torch::Tensor sigmoid_bad(Critic critic, torch::Tensor x, torch::Tensor y) {
  auto p = torch::sigmoid(critic(x)).view(-1); // expect: ml-loss-activation (no fix) (level 1): has been through a sigmoid already
  return torch::binary_cross_entropy(p, y);
}

torch::Tensor softmax_bad(nn::Linear net, torch::Tensor x) {
  auto p = torch::softmax(net(x), 1);
  return torch::softmax(p, 1); // expect: ml-loss-activation (no fix)
}

torch::Tensor once_ok(Critic critic, nn::Linear net, torch::Tensor x) {
  return torch::sigmoid(net(x)) + critic(x) + torch::softmax(critic(x) * 2, 1) +
         torch::softmax(torch::relu(torch::softmax(net(x), 1)), 1);
}
