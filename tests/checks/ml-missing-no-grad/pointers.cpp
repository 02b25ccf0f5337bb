// Losses that a function adds up where a pointer leads.
#include <torch/torch.h>

#include <tuple>

struct NetImpl : torch::nn::Module {
  NetImpl() { layer = register_module("layer", torch::nn::Linear(2, 2)); }
  torch::Tensor forward(torch::Tensor x) { return layer(x).sigmoid(); }
  torch::nn::Linear layer{nullptr};
};
TORCH_MODULE(Net);

std::tuple<bool, torch::Tensor> decide(Net net, torch::Tensor x) {
  auto p = net->forward(x)[0];
  const bool isYes = (p - torch::rand({1})).item<float>() > 0;
  return {isYes, torch::log(isYes ? p : 1 - p)};
}

void addLoss_ok(Net net, torch::Tensor x, torch::Tensor *loss) {
  auto [isYes, probability] = decide(net, x);
  *loss += probability.sum();
}

std::tuple<bool, torch::Tensor> guess(Net net, torch::Tensor x) {
  auto p = net->forward(x)[0]; // expect: ml-missing-no-grad
  const bool isYes = (p - torch::rand({1})).item<float>() > 0;
  return {isYes, torch::log(isYes ? p : 1 - p)};
}

void addNumber_bad(Net net, torch::Tensor x, double *loss) {
  auto [isYes, probability] = guess(net, x);
  *loss += probability.sum().item<double>();
}
