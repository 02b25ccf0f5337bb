// Modules that come through parameters, containers and algorithms.
#include <torch/torch.h>

#include <algorithm>
#include <map>

namespace nn = torch::nn;

struct NetImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) { return dropout(linear(x)); }
  nn::Linear linear = register_module("linear", nn::Linear(4, 2));
  nn::Dropout dropout = register_module("dropout", nn::Dropout(0.1));
};
TORCH_MODULE(Net);

// All that call it hand in layers that the mode makes no difference to.
static torch::Tensor evaluate_ok(nn::Sequential &net) {
  torch::NoGradGuard guard;
  return net->forward(torch::rand({4, 4})); // expect: ml-missing-eval-mode (level 2)
}
void plain_ok() {
  nn::Sequential net(nn::Linear(4, 4), nn::ReLU());
  evaluate_ok(net);
}

static torch::Tensor evaluate_bad(nn::Sequential &net) {
  torch::NoGradGuard guard;
  return net->forward(torch::rand({4, 4})); // expect: ml-missing-eval-mode
}
void dropout_bad() {
  nn::Sequential net(nn::Linear(4, 4), nn::Dropout(0.5));
  torch::load(net, "net.pt");
  evaluate_bad(net);
}

void algorithm_ok() {
  Net net;
  torch::load(net, "net.pt");
  std::vector<Net> nets{net};
  std::for_each(nets.begin(), nets.end(), [](Net &each) { each->eval(); });
  torch::NoGradGuard guard;
  for (auto &each : nets)
    each(torch::rand({4, 4})).sum().item<float>();
}

void map_ok() {
  Net net;
  torch::load(net, "net.pt");
  std::map<std::string, Net> nets{{"a", net}};
  for (auto &[name, each] : nets)
    each->eval();
  torch::NoGradGuard guard;
  nets.at("a")(torch::rand({4, 4})).sum().item<float>();
}
