// Methods that bear the names, and mean something else.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void scheduler_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::optim::StepLR scheduler(optimizer, 10);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    scheduler.step();
  }
}

void scheduler_bad(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::optim::StepLR scheduler(optimizer, 10);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
    scheduler.step();
  }
}

// Stepping a scheduler is no step, however often.
void scheduler_only_ok(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x,
                       torch::Tensor y) {
  torch::optim::StepLR scheduler(optimizer, 10);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    scheduler.step();
  }
}

class Simulation {
public:
  double step();
  void backward();
  void zero_grad();
};

void simulation_ok(Simulation &simulation) {
  for (int i = 0; i < 100; ++i) {
    simulation.backward();
    simulation.step();
  }
}

// A clear of something else clears nothing.
void simulation_bad(Simulation &simulation, Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    simulation.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

namespace game {
class Environment {
public:
  torch::Tensor step(const torch::Tensor &action);
};
} // namespace game

void environment_ok(game::Environment &environment, Net policy) {
  torch::optim::Adam optimizer(policy->parameters());
  torch::Tensor state = torch::zeros({4});
  for (int episode = 0; episode < 10; ++episode) {
    std::vector<torch::Tensor> losses;
    for (int t = 0; t < 100; ++t) {
      state = environment.step(policy(state));
      losses.push_back(policy(state).log());
    }
    optimizer.zero_grad();
    torch::stack(losses).sum().backward();
    optimizer.step();
  }
}

void backward(torch::Tensor &) {}
void step() {}

void free_functions_ok(torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    backward(x);
    step();
  }
}
