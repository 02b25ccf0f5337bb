// Targets that are computed without gradients, and parameters of which not all is known.
#include <torch/torch.h>

#include <vector>

struct Fit {
  torch::Tensor scale, shift;

  static Fit guess() {
    Fit fit{torch::ones({1}), torch::zeros({1})};
    for (auto &each : fit.all())
      each.requires_grad_(true);
    return fit;
  }
  std::vector<torch::Tensor> all() const { return {scale, shift}; }
};

torch::Tensor curve(const Fit &fit, const torch::Tensor &x) { return x * fit.scale + fit.shift; }

void closure_ok(torch::Tensor x) {
  torch::Tensor observed;
  {
    torch::NoGradGuard guard;
    auto truth = Fit::guess();
    truth.scale.fill_(3);
    observed = curve(truth, x);
  }
  auto fit = Fit::guess();
  torch::optim::SGD optimizer(fit.all(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto error = (curve(fit, x) - observed).square().mean();
    error.backward();
    optimizer.step();
  }
}

// --- a critic that gets inputs of many kinds --------------------------------------------------------

struct Critic : torch::nn::Module {
  torch::nn::Linear layer{nullptr};
  Critic() { layer = register_module("layer", torch::nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor state, torch::Tensor action) { return layer(state + action); }
};

void many_inputs_ok(torch::optim::Optimizer &optimizer, torch::Tensor state, torch::Tensor action) {
  Critic critic;
  for (int i = 0; i < 10; ++i) {
    torch::Tensor target;
    {
      torch::NoGradGuard guard;
      target = critic.forward(state, action) + critic.forward(torch::ones({1, 4}), action) +
               critic.forward(torch::ones({2, 4}), action) +
               critic.forward(torch::ones({3, 4}), action) +
               critic.forward(torch::ones({4, 4}), action) +
               critic.forward(torch::ones({5, 4}), action) +
               critic.forward(torch::ones({6, 4}), action) +
               critic.forward(torch::ones({7, 4}), action) +
               critic.forward(torch::ones({8, 4}), action);
    }
    auto loss = torch::mse_loss(critic.forward(torch::ones({9, 4}), action), target);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}
