// Targets that losses take, or may.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

void integers_ok(torch::Tensor x, const std::vector<int64_t> &classes,
              const std::vector<int> &others) {
  F::cross_entropy(x, torch::tensor(classes));
  F::cross_entropy(x, torch::tensor(others));
  F::cross_entropy(x, torch::tensor({0, 1, 2}));
  F::cross_entropy(x, torch::tensor({0, 1, 2}, torch::kUInt8));
  F::cross_entropy(x, torch::tensor({0, 1, 2}, torch::kInt).to(torch::kLong));
  torch::nll_loss(x, torch::zeros({8}, torch::kLong));
  torch::nll_loss(x, torch::full({8}, 1));
  torch::nll_loss(x, torch::randint(10, {8}));
}

void from_elsewhere_ok(torch::Tensor x, torch::Tensor y) {
  torch::nll_loss(x, y);
  F::cross_entropy(x, y.squeeze());
  F::cross_entropy(x, y.to(torch::kFloat)); // Probabilities, perhaps.
  torch::binary_cross_entropy(x, y);
}

void probabilities_ok(torch::Tensor x, torch::Tensor y) {
  nn::Linear net(4, 3);
  auto scores = net(torch::randn({16, 4}));
  F::cross_entropy(scores, torch::softmax(x, 1));
  F::cross_entropy(scores, torch::rand({16, 3}));
  F::cross_entropy(scores, torch::one_hot(y, 3).to(torch::kFloat));
  F::cross_entropy(net(x), torch::tensor({0.1, 0.2, 0.7})); // Of one sample.
}

void pixels_ok(torch::Tensor images, torch::Tensor classes) {
  F::cross_entropy(images, classes.to(torch::kLong).view({4, -1}));
  F::cross_entropy(images, torch::zeros({4, 32, 32}, torch::kLong));
  F::cross_entropy(images, torch::zeros({4, 1}, torch::kLong));
}

void repaired_ok(torch::Tensor x, const std::vector<int64_t> &classes) {
  nn::Linear net(4, 3);
  auto y = torch::tensor(classes).unsqueeze(1);
  F::cross_entropy(net(x), y.squeeze(1));
  F::cross_entropy(net(x), y.view({-1}));
  F::cross_entropy(net(x), torch::one_hot(y, 3).argmax(1));
}

void answers_ok(torch::Tensor x, torch::Tensor y) {
  torch::binary_cross_entropy(torch::sigmoid(x), (y > 0).to(torch::kFloat));
  torch::binary_cross_entropy(torch::sigmoid(x), torch::ones({8}));
  torch::binary_cross_entropy_with_logits(x, torch::rand({8, 1}));
  torch::mse_loss(x, torch::tensor({1, 2, 3}));
}

void chosen_ok(torch::Tensor x, torch::Tensor y, bool narrow) {
  auto labels = narrow ? y.to(torch::kInt) : y.to(torch::kLong);
  torch::nll_loss(x, labels);
}

void with_type_ok(torch::Tensor x, torch::Tensor y, torch::ScalarType type,
               torch::TensorOptions options) {
  torch::nll_loss(x, y.to(type));
  torch::nll_loss(x, torch::zeros({8}, options));
}
