// A program that never uses a GPU.
#include <torch/torch.h>

#include <iostream>
#include <stdexcept>

using torch::Tensor;

struct HostBlockImpl : torch::nn::Module {
  torch::nn::Linear fc = register_module("fc", torch::nn::Linear(4, 4));
  Tensor forward(Tensor x) {
    x = fc(x);
    if (torch::isnan(x).any().item<bool>())
      throw std::runtime_error("NaN");
    for (int64_t i = 0; i < x.size(0); ++i)
      std::cout << x[i].item<float>();
    return x;
  }
};
TORCH_MODULE(HostBlock);

class HostScaled : public torch::optim::Optimizer {
public:
  using Optimizer::Optimizer;
  Tensor step(LossClosure closure = nullptr) override {
    torch::NoGradGuard guard;
    for (auto &group : param_groups())
      for (auto &p : group.params()) {
        const double norm = p.grad().norm().item<double>();
        p.add_(p.grad(), -1e-3 / norm);
      }
    return {};
  }
};

int main() {
  HostBlock net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    torch::mse_loss(net(torch::randn({8, 4})), torch::zeros({8, 4})).backward();
    for (auto &p : net->parameters())
      std::cout << p.grad().norm().item<float>();
    optimizer.step();
  }
}
