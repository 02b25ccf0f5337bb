// What convolutions give has a feature and its space for each sample.
#include <torch/torch.h>

namespace nn = torch::nn;

torch::Tensor judged_bad(nn::Sequential &generator) {
  nn::Sequential discriminator(nn::Conv2d(nn::Conv2dOptions(1, 32, 4)), nn::ReLU(),
                               nn::Conv2d(nn::Conv2dOptions(32, 1, 8)));
  auto labels = torch::rand({24});
  auto images = torch::rand({24, 1, 16, 16});
  auto scores = discriminator->forward(images);
  return torch::mse_loss(scores, labels); // expect: ml-broadcast-loss (no fix): of shape (24)
}

torch::Tensor activated_bad(torch::Tensor signal, const std::vector<float> &values) {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(1, 4, 3)), nn::ReLU());
  auto targets = torch::tensor(values);
  return torch::l1_loss(net->forward(signal), targets); // expect: ml-broadcast-loss (no fix): meets 'targets'
}

torch::Tensor judged_ok(nn::Conv2d &last, torch::Tensor images) {
  return torch::mse_loss(last(images).reshape({-1}), torch::rand({24}));
}

torch::Tensor like_ok(nn::Conv2d &last, torch::Tensor images) {
  auto scores = last(images);
  return torch::mse_loss(scores, torch::rand({1})) + torch::mse_loss(scores, torch::ones_like(scores));
}

// All targets are the same.
torch::Tensor constant_ok(nn::Conv2d &last, torch::Tensor images) {
  return torch::mse_loss(last(images), torch::ones({24}));
}
