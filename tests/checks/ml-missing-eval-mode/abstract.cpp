// Modules known by an abstract class: what may be behind it decides.
#include <torch/torch.h>

#include <iostream>

using Optimizer = torch::optim::Optimizer;

struct Network : torch::nn::Module {
  virtual torch::Tensor forward(torch::Tensor x) = 0;
};
struct NormNet : Network {
  torch::nn::Linear linear{register_module("linear", torch::nn::Linear(3, 3))};
  torch::nn::BatchNorm1d norm{register_module("norm", torch::nn::BatchNorm1d(3))};
  torch::Tensor forward(torch::Tensor x) override { return norm(linear(x)); }
};
struct DropNet : Network {
  torch::nn::Linear linear{register_module("linear", torch::nn::Linear(3, 3))};
  torch::Tensor forward(torch::Tensor x) override {
    return torch::dropout(linear(x), 0.5, is_training());
  }
};

void train(Network &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net.forward(x), y).backward();
    optimizer.step();
  }
}

void all_depend_on_the_mode_bad(Network &net, Optimizer &optimizer, torch::Tensor x,
                                torch::Tensor y) {
  train(net, optimizer, x, y);
  torch::NoGradGuard noGrad;
  auto loss = torch::mse_loss(net.forward(x), y); // expect: ml-missing-eval-mode
  std::cout << loss.item<float>();
}

void all_depend_on_the_mode_ok(Network &net, Optimizer &optimizer, torch::Tensor x,
                               torch::Tensor y) {
  train(net, optimizer, x, y);
  net.eval();
  torch::NoGradGuard noGrad;
  auto loss = torch::mse_loss(net.forward(x), y);
  std::cout << loss.item<float>();
}

struct Policy : torch::nn::Module {
  virtual torch::Tensor forward(torch::Tensor x) = 0;
};
struct LinearPolicy : Policy {
  torch::nn::Linear linear{register_module("linear", torch::nn::Linear(3, 3))};
  torch::Tensor forward(torch::Tensor x) override { return linear(x); }
};

void none_depends_on_the_mode(Policy &policy, Optimizer &optimizer, torch::Tensor x,
                              torch::Tensor y) {
  optimizer.zero_grad();
  torch::mse_loss(policy.forward(x), y).backward();
  optimizer.step();
  torch::NoGradGuard noGrad;
  auto loss = torch::mse_loss(policy.forward(x), y); // expect: ml-missing-eval-mode (level 2)
  std::cout << loss.item<float>();
}
