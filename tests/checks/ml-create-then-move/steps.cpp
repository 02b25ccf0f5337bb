// Optimizers, and what they do for each of their parameters.
#include <torch/torch.h>

#include <iostream>

using torch::Tensor;

class Clipped : public torch::optim::Optimizer {
public:
  Clipped(std::vector<torch::optim::OptimizerParamGroup> groups,
          std::unique_ptr<torch::optim::OptimizerOptions> defaults)
      : Optimizer(groups, std::move(defaults)) {}
  Tensor step(LossClosure closure = nullptr) override {
    torch::NoGradGuard guard;
    Tensor loss;
    for (auto &group : param_groups()) {
      double eps = group.options().get_lr();
      for (auto &p : group.params()) {
        if (!p.grad().defined())
          continue;
        auto norm = torch::max(p.detach().norm(), torch::tensor(eps).to(p.device())); // expect: ml-create-then-move (no fix): these constants
        auto ratio = norm / torch::tensor(1e-6).to(p.device()); // expect: ml-create-then-move (no fix): these constants
        auto noise = torch::randn(p.sizes()).to(p.device()); // expect: ml-create-then-move
        p.add_((p.grad() + noise) * ratio);
      }
    }
    return loss;
  }
  // What changes with each parameter has to be copied, or be a number.
  void scale_ok() {
    for (auto &group : param_groups())
      for (auto &p : group.params()) {
        double size = p.numel();
        p.mul_(torch::tensor(size).to(p.device()));
      }
  }
};

void uses_it(torch::nn::Linear net) { net->to(torch::kCUDA); }

void several_bad(torch::nn::Linear net, double scale) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(torch::ones({10, 10}, device)).mean().backward();
    for (auto &p : net->parameters())
      p.mutable_grad().add_(torch::randn({10}).to(device)); // expect: ml-create-then-move
    optimizer.step();
  }
}

// A branch that does no more than to move is taken wherever there is a GPU.
void moved_if_asked_bad(torch::nn::Linear net, int gpus) {
  torch::Device device(torch::kCUDA);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto steps = torch::arange(10); // expect: ml-create-then-move (no fix)
    if (gpus > 0)
      steps = steps.to(torch::kCUDA); // note: copied here
    optimizer.zero_grad();
    (net(torch::ones({10, 10}, device)) * steps).mean().backward();
    optimizer.step();
  }
}

void moved_and_more_ok(torch::nn::Linear net) {
  torch::Device device(torch::kCUDA);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto steps = torch::arange(10);
    if (i % 20 == 0) {
      steps = steps.to(device);
      std::cout << steps << '\n';
    }
    optimizer.zero_grad();
    net(torch::ones({10, 10}, device)).mean().backward();
    optimizer.step();
  }
}
