// A second network from a script, for targets.
#include <torch/torch.h>

using torch::Tensor;

class Learner {
public:
  explicit Learner(torch::jit::Module module)
      : policy(module), optimizer(policy.parameters(), 0.1) {
    follow_bad();
  }

  void step(Tensor x) {
    Tensor goal, other;
    {
      torch::NoGradGuard guard;
      goal = target.forward({x}).toTensor(); // note: as if it stayed what it was
      other = apart.forward({x}).toTensor();
    }
    optimizer.zero_grad();
    torch::mse_loss(policy.forward({x}).toTensor(), goal + other).backward();
    optimizer.step();
    follow_bad();
    follow_ok();
  }

private:
  void follow_bad() {
    target = policy.copy(); // expect: ml-module-copy: shares the parameters of 'policy'
  }
  void follow_ok() { apart = policy.deepcopy(); }

  torch::jit::Module policy, target, apart;
  torch::optim::SGD optimizer;
};

// Nothing trains what this is a copy of.
Tensor twice_ok(torch::jit::Module module, Tensor x) {
  torch::NoGradGuard guard;
  auto other = module.copy();
  return module.forward({x}).toTensor() + other.forward({x}).toTensor();
}

int main() {
  Learner learner(torch::jit::load("policy.pt"));
  for (int i = 0; i < 100; ++i)
    learner.step(torch::randn({4, 2}));
}
