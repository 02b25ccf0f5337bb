// Targets that losses do not take.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

torch::Tensor narrow_bad(torch::Tensor x, std::vector<int> &classes) {
  auto y = torch::from_blob(classes.data(), {16}, torch::kInt32).clone();
  return F::cross_entropy(x, y); // expect: ml-label-dtype: 64-bit integers, but 'y' is int32
}

torch::Tensor listed_bad(torch::Tensor x) {
  auto y = torch::tensor({0, 2, 1}, torch::kInt);
  return torch::nll_loss(torch::log_softmax(x, 1), y); // expect: ml-label-dtype: 'y' is int32
}

torch::Tensor cast_bad(torch::Tensor x, torch::Tensor y) {
  auto scores = torch::log_softmax(x, 1);
  return torch::nll_loss(scores, y.to(torch::kFloat32)); // expect: ml-label-dtype: is float32
}

torch::Tensor with_options_bad(torch::Tensor x) {
  auto options = torch::TensorOptions().dtype(torch::kShort);
  auto y = torch::zeros({8}, options);
  return torch::cross_entropy_loss(x, y); // expect: ml-label-dtype: 'y' is int16
}

torch::Tensor of_floats_bad(const std::vector<float> &classes) {
  nn::Linear net(4, 3);
  auto scores = net(torch::randn({16, 4}));
  auto y = torch::tensor(classes);
  return torch::cross_entropy_loss(scores, y); // expect: ml-label-dtype: 'y' is float32
}

struct Trainer {
  nn::Sequential net{nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 3)};
  nn::CrossEntropyLoss criterion;
  torch::Tensor column_bad(torch::Tensor x, const std::vector<int64_t> &classes) {
    auto y = torch::tensor(classes).unsqueeze(1);
    return criterion(net->forward(x), y); // expect: ml-label-dtype: there is one class label for
  }
  torch::Tensor viewed_bad(torch::Tensor x, torch::Tensor labels) {
    auto y = labels.to(torch::kLong).view({-1, 1});
    return criterion(net->forward(x), y); // expect: ml-label-dtype: a column
  }
};

torch::Tensor one_hot_bad(torch::Tensor x, torch::Tensor labels) {
  auto y = torch::one_hot(labels, 10);
  return F::cross_entropy(x, y); // expect: ml-label-dtype: 'y' is a number for each class
}

torch::Tensor flags_bad(torch::Tensor x, torch::Tensor y) {
  auto p = torch::sigmoid(x);
  return torch::binary_cross_entropy(p, y > 0); // expect: ml-label-dtype: but 'y > 0' is bool
}

torch::Tensor integers_bad(torch::Tensor x) {
  nn::BCELoss criterion;
  auto y = torch::randint(0, 2, {16});
  return criterion(torch::sigmoid(x), y); // expect: ml-label-dtype: 'y' is int64
}

torch::Tensor with_logits_bad(torch::Tensor x, torch::Tensor y) {
  auto z = y.to(torch::kLong);
  return torch::binary_cross_entropy_with_logits(x, z); // expect: ml-label-dtype: 'z' is int64
}

torch::Tensor helper(torch::Tensor scores, torch::Tensor labels) {
  return torch::nll_loss(scores, labels); // expect: ml-label-dtype: 'labels' is int32
}
torch::Tensor through_helper_bad(torch::Tensor x) {
  return helper(x, torch::tensor({1, 0}, torch::dtype(torch::kInt32)));
}
// What is written through a view leaves the type of the whole as it is.
torch::Tensor drawn_bad(torch::Tensor x) {
  auto y = torch::zeros({4, 64, 64});
  y.narrow(1, 16, 32).narrow(2, 16, 32).fill_(1);
  return torch::nll_loss(torch::log_softmax(x, 1), y); // expect: ml-label-dtype: 'y' is float32
}

