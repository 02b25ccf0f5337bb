// The modes of all modules are kept in a container.
#include <torch/torch.h>

#include <map>

namespace nn = torch::nn;

struct NetImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) { return dropout(linear(x)); }
  nn::Linear linear = register_module("linear", nn::Linear(4, 2));
  nn::Dropout dropout = register_module("dropout", nn::Dropout(0.1));
};
TORCH_MODULE(Net);

void restored_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int epoch = 0; epoch < 3; ++epoch) {
    optimizer.zero_grad();
    net(torch::rand({4, 4})).sum().backward();
    optimizer.step();
    std::map<nn::Module *, bool> modes;
    for (auto &each : net->modules())
      modes[each.get()] = each->is_training();
    net->eval();
    {
      torch::NoGradGuard guard;
      net(torch::rand({4, 4})).sum().item<float>();
    }
    for (auto &[each, mode] : modes)
      each->train(mode);
  }
}

void forgotten_bad(Net net, torch::optim::Optimizer &optimizer) {
  std::map<nn::Module *, bool> modes;
  for (int epoch = 0; epoch < 3; ++epoch) {
    optimizer.zero_grad();
    net(torch::rand({4, 4})).sum().backward();
    optimizer.step();
    for (auto &each : net->modules())
      modes[each.get()] = each->is_training();
    net->eval(); // expect: ml-train-mode-not-restored
    torch::NoGradGuard guard;
    net(torch::rand({4, 4})).sum().item<float>();
  }
}

// An actor is trained through its critic, which stays as it is.
struct Agent {
  void train(torch::Tensor x) {
    critic->train();
    criticOptimizer->zero_grad();
    critic(x).sum().backward();
    criticOptimizer->step();
    critic->eval();
    actorOptimizer->zero_grad();
    critic(actor(x)).sum().backward();
    actorOptimizer->step();
  }
  Net actor, critic;
  std::shared_ptr<torch::optim::Optimizer> actorOptimizer, criticOptimizer;
};
