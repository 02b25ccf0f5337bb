// A large network on forty noisy samples: it learns the noise. The monitor says when to stop and
// which epoch was the best.
#include <gradtidy/DivergenceMonitor.h>
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::manual_seed(1);
  torch::nn::Sequential model(torch::nn::Linear(1, 64), torch::nn::Tanh(),
                              torch::nn::Linear(64, 64), torch::nn::Tanh(),
                              torch::nn::Linear(64, 1));
  torch::optim::Adam optimizer(model->parameters(), 0.01);
  auto samples = [](int64_t count) {
    auto x = torch::rand({count, 1}) * 6 - 3;
    return std::pair(x, torch::sin(x) + 0.4 * torch::randn({count, 1}));
  };
  auto [x, y] = samples(40);
  auto [unseenX, unseenY] = samples(200);

  gradtidy::DivergenceMonitor monitor;
  for (int epoch = 0; epoch < 200; ++epoch) {
    torch::Tensor loss;
    for (int step = 0; step < 20; ++step) {
      optimizer.zero_grad();
      loss = torch::mse_loss(model->forward(x), y);
      loss.backward();
      optimizer.step();
    }
    torch::NoGradGuard guard;
    auto validation = torch::mse_loss(model->forward(unseenX), unseenY);
    if (monitor.update(validation.item<double>(), loss.item<double>()))
      break;
  }
  std::cout << monitor.text() << '\n';
}
