// Modules that an object which is none itself holds for a module.
#include <torch/torch.h>

#include <string>

using torch::Tensor;
namespace nn = torch::nn;

class Bank {
public:
  explicit Bank(int count) {
    for (int i = 0; i < count; ++i)
      layers.push_back(nn::Linear(8, 8));
  }
  Tensor operator()(Tensor x) {
    for (auto &layer : layers)
      x = layer(x);
    return x;
  }
  std::vector<nn::Linear> &all() { return layers; }

private:
  std::vector<nn::Linear> layers;
};

class OpenBank {
public:
  OpenBank() : layers{nn::Linear(8, 8), nn::Linear(8, 8)} {}
  Tensor run(Tensor x) { return layers[0](layers[1](x)); }
  std::vector<nn::Linear> &all() { return layers; }

private:
  std::vector<nn::Linear> layers;
};

struct FrozenBank {
  FrozenBank() {
    for (auto &each : layer->parameters())
      each.requires_grad_(false);
  }
  Tensor run(Tensor x) { return layer(x); }
  nn::Linear layer{8, 8};
};

struct NetBad : nn::Module {
  NetBad() : bank(3) {} // expect: ml-unregistered-module (no fix): 'layers' of 'bank'
  Tensor forward(Tensor x) { return bank(x); }
  Bank bank;
};

struct RegisteredOk : nn::Module {
  RegisteredOk() {
    for (size_t i = 0; i < bank.all().size(); ++i)
      register_module("layer" + std::to_string(i), bank.all()[i]);
  }
  Tensor forward(Tensor x) { return bank.run(x); }
  OpenBank bank;
};

struct FrozenOk : nn::Module {
  Tensor forward(Tensor x) { return bank.run(x); }
  FrozenBank bank;
};

int main() {
  auto x = torch::randn({4, 8});
  (NetBad().forward(x) + RegisteredOk().forward(x) + FrozenOk().forward(x)).print();
}
