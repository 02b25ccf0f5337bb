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
