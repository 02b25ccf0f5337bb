// Steps of optimizers, which run the closure that they are given.
#include <torch/torch.h>

#include <memory>
#include <vector>

using torch::Tensor;

class Guarded : public torch::optim::Optimizer {
public:
  Guarded(std::vector<torch::optim::OptimizerParamGroup> groups,
          std::unique_ptr<torch::optim::OptimizerOptions> defaults)
      : Optimizer(groups, std::move(defaults)) {}

  Tensor step(LossClosure closure = nullptr) override {
    torch::NoGradGuard guard;
    Tensor loss;
    if (closure)
      loss = closure(); // expect: ml-backward-under-no-grad (no fix): the closure's backward finds
                        // no graph
    for (auto &group : param_groups())
      for (auto &parameter : group.params())
        parameter.sub_(parameter.grad() * 0.1);
    return loss;
  }
};

// As the optimizers of LibTorch do it.
class Enabling : public torch::optim::Optimizer {
public:
  Enabling(std::vector<torch::optim::OptimizerParamGroup> groups,
           std::unique_ptr<torch::optim::OptimizerOptions> defaults)
      : Optimizer(groups, std::move(defaults)) {}

  Tensor step(LossClosure closure = nullptr) override {
    torch::NoGradGuard guard;
    Tensor loss;
    if (closure != nullptr) {
      torch::AutoGradMode enabled(true);
      loss = closure();
    }
    for (auto &group : param_groups())
      for (auto &parameter : group.params())
        parameter.sub_(parameter.grad() * 0.1);
    return loss;
  }
};

class Before : public torch::optim::Optimizer {
public:
  Before(std::vector<torch::optim::OptimizerParamGroup> groups,
         std::unique_ptr<torch::optim::OptimizerOptions> defaults)
      : Optimizer(groups, std::move(defaults)) {}

  Tensor step(LossClosure closure = nullptr) override {
    Tensor loss = closure ? closure() : Tensor();
    torch::NoGradGuard guard;
    for (auto &group : param_groups())
      for (auto &parameter : group.params())
        parameter.sub_(parameter.grad() * 0.1);
    return loss;
  }
};

// A closure of which nobody knows what it does.
double measure(const std::function<double()> &closure) {
  torch::NoGradGuard guard;
  return closure();
}
