// Modules known by an abstract class: what may be behind it decides.
#include <torch/torch.h>

#include <iostream>

struct Network : torch::nn::Module {
  virtual torch::Tensor forward(torch::Tensor x) = 0;
};
struct LinearNet : Network {
  torch::nn::Linear linear{register_module("linear", torch::nn::Linear(3, 3))};
  torch::Tensor forward(torch::Tensor x) override { return linear(x); }
};

void test_bad(Network &net, torch::Tensor x, torch::Tensor y) {
  auto output = net.forward(x); // expect: ml-missing-no-grad
  std::cout << torch::mse_loss(output, y).item<float>();
}

struct Loss : torch::nn::Module {
  virtual torch::Tensor forward(torch::Tensor x) = 0;
};
struct SquaredLoss : Loss {
  torch::Tensor forward(torch::Tensor x) override { return x.pow(2).mean(); }
};
struct AbsoluteLoss : Loss {
  torch::Tensor forward(torch::Tensor x) override { return x.abs().mean(); }
};

void without_parameters_ok(Loss &loss, torch::Tensor x) {
  std::cout << loss.forward(x).item<float>();
}
