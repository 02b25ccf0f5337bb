// Norms that the program itself takes care of.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(norm(fc(x)))); }
  torch::nn::Linear fc = register_module("fc", torch::nn::Linear(4, 8));
  torch::nn::Linear head = register_module("head", torch::nn::Linear(8, 1));
  torch::nn::BatchNorm1d norm = register_module("norm", torch::nn::BatchNorm1d(8));
};
TORCH_MODULE(Net);

void frozen_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  net->train();
  net->norm->eval();
  for (int i = 0; i < 100; ++i) {
    auto x = torch::randn({4, 4});
    (net(x).pow(2).mean() / 8).backward();
    if (i % 8 == 7) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

struct FixedImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return norm(fc(x)); }
  void train(bool on = true) override;
  torch::nn::Linear fc = register_module("fc", torch::nn::Linear(4, 8));
  torch::nn::BatchNorm1d norm = register_module("norm", torch::nn::BatchNorm1d(8));
};
TORCH_MODULE(Fixed);

void own_ok(Fixed net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::randn({4, 4});
    (net(x).pow(2).mean() / 8).backward();
    if (i % 8 == 7) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}
