// What forward passes of the user's give depends on what they are given.
#include <torch/torch.h>

using torch::Tensor;

struct Squash : torch::nn::Module {
  Tensor forward(Tensor x) { return torch::tanh(x) * 2; }
};

struct Head : torch::nn::Module {
  Head() { linear = register_module("linear", torch::nn::Linear(1, 1)); }
  Tensor forward(Tensor x, bool isFlat) {
    x = linear(x);
    if (isFlat)
      return x.squeeze(1);
    return x;
  }
  torch::nn::Linear linear{nullptr};
};

void column_bad() {
  Squash squash;
  auto x = torch::rand({8, 1}, torch::requires_grad());
  auto y = torch::rand({8});
  torch::mse_loss(squash.forward(x), y).backward(); // expect: ml-broadcast-loss: (8, 1)
}

void row_ok() {
  Squash squash;
  auto x = torch::rand({8}, torch::requires_grad());
  auto y = torch::rand({8});
  torch::mse_loss(squash.forward(x), y).backward();
}

void not_flat_bad() {
  Head head;
  auto y = torch::rand({8});
  torch::mse_loss(head.forward(torch::rand({8, 1}), false), y).backward(); // expect: ml-broadcast-loss: (8, 1)
}

void flat_ok() {
  Head head;
  auto y = torch::rand({8});
  torch::mse_loss(head.forward(torch::rand({8, 1}), true), y).backward();
}
