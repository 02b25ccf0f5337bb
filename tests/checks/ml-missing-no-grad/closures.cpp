// What closures give back goes on through what called them.
#include <torch/torch.h>

#include <variant>

namespace nn = torch::nn;

struct NetImpl : nn::Module {
  NetImpl() { register_module("layer", std::get<nn::Linear>(layer)); }
  torch::Tensor forward(torch::Tensor x) {
    auto h = std::visit([&](auto &each) { return each->forward(x); }, layer);
    return h.relu();
  }
  std::variant<nn::Linear, nn::Sequential> layer{nn::Linear(4, 8)};
};
TORCH_MODULE(Net);

void trained_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.01);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    net(torch::randn({2, 4})).sum().backward();
    optimizer.step();
  }
}

double evaluated_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.01);
  double sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += net(torch::randn({2, 4})).sum().item<double>(); // expect: ml-missing-no-grad
  return sum;
}
