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

// Modules that get into a container in evaluation mode.
struct Entry {
  std::string name;
  Net net;
};

void filled_ok(const std::vector<std::string> &files, torch::Tensor x) {
  std::map<std::string, Net> nets, others;
  std::vector<Entry> entries;
  for (auto &file : files) {
    Net net;
    torch::load(net, file);
    net->eval();
    nets.insert({file, net});
    others[file] = net;
    entries.push_back({file, net});
  }
  torch::NoGradGuard guard;
  for (auto &[name, net] : nets)
    net(x).sum().item<float>();
  for (auto &[name, net] : others)
    net(x).sum().item<float>();
  for (auto &entry : entries)
    entry.net(x).sum().item<float>();
}

void named_ok(torch::Tensor x) {
  auto encoder = std::make_shared<NetImpl>();
  torch::load(encoder, "encoder.pt");
  std::map<std::string, std::shared_ptr<nn::Module>> modules;
  modules["encoder"] = encoder;
  for (auto &[name, module] : modules)
    module->eval();
  torch::NoGradGuard guard;
  encoder->forward(x).sum().item<float>();
}
