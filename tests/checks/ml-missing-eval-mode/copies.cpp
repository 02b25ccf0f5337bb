// Copies of a module have parts in common: what is done to one is done to all.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { dropout = register_module("dropout", torch::nn::Dropout(0.2)); }
  torch::Tensor forward(torch::Tensor x) { return dropout(x); }
  torch::nn::Dropout dropout{nullptr};
};

class Agent {
public:
  explicit Agent(NetImpl net) {
    policy = std::make_shared<NetImpl>(net);
    target = std::make_shared<NetImpl>(net);
    target->eval();
  }
  int64_t act_ok(torch::Tensor x) {
    torch::NoGradGuard guard;
    return policy->forward(x).argmax().item<int64_t>();
  }

private:
  std::shared_ptr<NetImpl> policy, target;
};

float copy_ok(NetImpl net, torch::Tensor x) {
  auto copy = std::make_shared<NetImpl>(net);
  net.eval();
  torch::NoGradGuard guard;
  return copy->forward(x).sum().item<float>();
}

float another_bad(NetImpl net, torch::Tensor x) {
  auto another = std::make_shared<NetImpl>();
  net.eval();
  torch::NoGradGuard guard;
  return another->forward(x).sum().item<float>(); // expect: ml-missing-eval-mode
}
