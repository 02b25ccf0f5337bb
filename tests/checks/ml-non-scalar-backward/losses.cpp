// Losses that are not one number.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct NetImpl : nn::Module {
  NetImpl() {
    hidden = register_module("hidden", nn::Linear(4, 16));
    out = register_module("out", nn::Linear(16, 3));
  }
  torch::Tensor forward(torch::Tensor x) { return out(torch::relu(hidden(x))); }
  nn::Linear hidden{nullptr}, out{nullptr};
};
TORCH_MODULE(Net);

void kept_bad(Net net, torch::Tensor x, torch::Tensor y) {
  auto loss = F::cross_entropy(net(x), y, F::CrossEntropyFuncOptions().reduction(torch::kNone));
  loss.backward(); // expect: ml-non-scalar-backward: 'loss' has one for each sample
}

void kept_by_constructor_bad(Net net, torch::Tensor x, torch::Tensor y) {
  auto options = F::MSELossFuncOptions(torch::kNone);
  F::mse_loss(net(x), y, options).backward(); // expect: ml-non-scalar-backward
}

void kept_by_number_bad(Net net, torch::Tensor x, torch::Tensor y) {
  auto loss = torch::mse_loss(net(x), y, torch::Reduction::None);
  loss.backward(); // expect: ml-non-scalar-backward: has the shape (…, 3)
}

void weighted_bad(Net net, torch::Tensor x, torch::Tensor y, torch::Tensor weights) {
  auto losses = torch::nll_loss(net(x), y, {}, torch::Reduction::None);
  auto weighted = losses * weights;
  weighted.backward(); // expect: ml-non-scalar-backward: 'weighted' has one for each sample
}

void options_in_variable_bad(Net net, torch::Tensor x, torch::Tensor y) {
  const auto options = F::MSELossFuncOptions(torch::kNone);
  auto loss = F::mse_loss(net(x), y, options);
  loss.backward(); // expect: ml-non-scalar-backward
}

torch::Tensor losses(Net net, torch::Tensor x, torch::Tensor y) {
  return torch::smooth_l1_loss(net(x), y, torch::Reduction::None);
}

void helper_bad(Net net, torch::Tensor x, torch::Tensor y) {
  losses(net, x, y).backward(); // expect: ml-non-scalar-backward
}

void module_bad(Net net, torch::Tensor x, torch::Tensor y) {
  nn::MSELoss criterion(nn::MSELossOptions().reduction(torch::kNone));
  auto loss = criterion(net(x), y);
  loss.backward(); // expect: ml-non-scalar-backward
}

struct Trainer {
  Net net;
  nn::CrossEntropyLoss criterion{nn::CrossEntropyLossOptions().reduction(torch::kNone)};
  void train(torch::Tensor x, torch::Tensor y) {
    auto loss = criterion(net(x), y);
    loss.backward(); // expect: ml-non-scalar-backward
  }
};

void never_reduced_bad(Net net, torch::Tensor x, torch::Tensor y) {
  auto loss = (net(x) - y).pow(2);
  loss.backward(); // expect: ml-non-scalar-backward: 'loss' has the shape (…, 3)
}

void expression_bad(Net net, torch::Tensor x, torch::Tensor y) {
  (net(x) - y).abs().backward(); // expect: ml-non-scalar-backward
}

void leaf_bad() {
  auto w = torch::randn({3}, torch::requires_grad());
  auto y = w * 2;
  y.backward(); // expect: ml-non-scalar-backward: 'y' has the shape (3)
}

void sequential_bad(torch::Tensor x) {
  nn::Sequential net(nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 2));
  auto y = net->forward(x);
  y.backward(); // expect: ml-non-scalar-backward
}

void partly_reduced_bad(torch::Tensor x) {
  nn::Linear net(4, 2);
  auto y = net(torch::ones({8, 4})).sum(1);
  y.backward(); // expect: ml-non-scalar-backward: 'y' has the shape (8)
}

void retained_bad(Net net, torch::Tensor x, torch::Tensor y) {
  auto loss = torch::mse_loss(net(x), y, torch::Reduction::None);
  loss.backward({}, true); // expect: ml-non-scalar-backward
}
