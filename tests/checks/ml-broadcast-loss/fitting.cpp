// Shapes that fit, are meant, or are not known.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct RegressionImpl : nn::Module {
  RegressionImpl() { out = register_module("out", nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return out(x); }
  nn::Linear out{nullptr};
};
TORCH_MODULE(Regression);

struct FlatImpl : nn::Module {
  FlatImpl() { out = register_module("out", nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return out(x).squeeze(-1); }
  nn::Linear out{nullptr};
};
TORCH_MODULE(Flat);

void fitting_ok(Regression net, Flat flat, torch::Tensor x, const std::vector<float> &values) {
  auto y = torch::tensor(values);
  torch::mse_loss(net(x), y.unsqueeze(1));
  torch::mse_loss(net(x).squeeze(1), y);
  torch::mse_loss(net(x).squeeze(), y);
  torch::mse_loss(net(x).view({-1}), y);
  torch::mse_loss(net(x).flatten(), y);
  torch::mse_loss(flat(x), y);
  torch::mse_loss(net(x), y.view({-1, 1}));
  torch::mse_loss(net(x), y.reshape({y.size(0), 1}));
  torch::mse_loss(net(x), torch::from_blob((void *)values.data(), {8, 1}));
}

void unknown_ok(Regression net, torch::Tensor x, torch::Tensor y, nn::Linear layer) {
  torch::mse_loss(net(x), y);
  torch::mse_loss(layer(x), y.view({-1}));
  torch::mse_loss(x, y);
}

// One sample, or one number.
void one(Regression net, torch::Tensor x, float reward) {
  torch::mse_loss(net(x), torch::tensor({reward}));
  torch::mse_loss(net(x), torch::tensor(reward));
  torch::mse_loss(net(torch::ones({1, 4})), torch::zeros({1}));
}

// All targets are the same: whichever meets which.
void constant_ok(Regression net, torch::Tensor x) {
  torch::binary_cross_entropy(torch::sigmoid(net(x)), torch::ones({64}));
  torch::binary_cross_entropy(torch::sigmoid(net(x)), torch::full({64}, 0.9));
}

// Each with all of the other, as it is meant.
void pairs_ok(torch::Tensor x, torch::Tensor weights) {
  auto a = x.view({-1});
  auto distances = (a.view({-1, 1}) - a).abs();
  auto outer = a.view({-1, 1}) * a;
  auto shifted = x.view({-1, 1}) - torch::arange(10);
}

void thresholds_ok(Regression net, torch::Tensor x) {
  auto levels = torch::tensor({0.5, 1.5, 2.5});
  auto cumulative = torch::sigmoid(net(x) - levels);
}

void many_ok(torch::Tensor x, torch::Tensor y) {
  nn::Linear net(4, 2);
  torch::mse_loss(net(x), y.view({-1}));
}

void listed_ok(Regression net, torch::Tensor x, torch::Tensor y, const std::vector<float> &values) {
  std::vector<torch::Tensor> ones, numbers, mixed;
  for (float value : values) {
    ones.push_back(torch::tensor({value}));
    numbers.push_back(torch::tensor(value));
    mixed.push_back(torch::tensor(value));
    mixed.push_back(y);
  }
  torch::mse_loss(net(x), torch::stack(ones));
  torch::mse_loss(net(x).squeeze(), torch::cat(ones));
  torch::mse_loss(net(x).squeeze(), torch::stack(numbers));
  torch::mse_loss(net(x).squeeze(), torch::stack(ones).squeeze());
  torch::mse_loss(net(x), torch::stack(mixed));
  torch::mse_loss(net(x), torch::cat({torch::stack(ones), y}));
  torch::mse_loss(net(x).squeeze().unsqueeze(1), torch::stack(ones));
  torch::mse_loss(net(x), torch::stack(numbers).unsqueeze(1));
  auto difference = torch::stack(ones) - net(x);
}

void one_sample_ok(Regression net, torch::Tensor x, float value) {
  torch::mse_loss(net(x), torch::stack({torch::tensor(value)}));
  torch::mse_loss(net(x), torch::cat({torch::tensor({value})}));
  torch::mse_loss(net(x), torch::cat({torch::tensor({value, value}).view({-1, 1})}, 0));
}

// Levels, each against all values.
void levels_ok(Regression net, torch::Tensor x) {
  auto levels = torch::arange(10).view({-1, 1});
  auto over = net(x).squeeze() - levels;
  auto known = torch::tensor({1.0, 2.0}).unsqueeze(1) - net(x).view({-1});
}
