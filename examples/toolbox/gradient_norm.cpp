// A regression whose targets have an outlier now and then: the monitor finds the batches that would
// throw the model about, and their gradients are clipped.
#include <gradtidy/GradientNorm.h>
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::manual_seed(1);
  torch::nn::Sequential model(torch::nn::Linear(4, 16), torch::nn::Tanh(),
                              torch::nn::Linear(16, 1));
  torch::optim::SGD optimizer(model->parameters(), 0.02);
  gradtidy::GradientNormMonitor monitor(*model);

  for (int step = 1; step <= 40; ++step) {
    auto input = torch::randn({32, 4}), target = input.sum(1, /*keepdim=*/true);
    if (step % 16 == 0)
      target[0] = 5000.0; // a sensor that was switched off
    optimizer.zero_grad();
    torch::mse_loss(model->forward(input), target).backward();
    const auto reading = monitor.read();
    if (step % 10 == 0 || reading.state != gradtidy::GradientState::Fine)
      std::cout << "step " << step << ": " << reading.text() << '\n';
    if (reading.state == gradtidy::GradientState::Exploding)
      torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    optimizer.step();
  }
}
