// A step that looks at its loss and makes its mask on the host, then one that does neither.
#include <gradtidy/TransferCounter.h>
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::manual_seed(1);
  const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU, 0);
  torch::nn::Linear model(64, 8);
  model->to(device);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  auto batch = torch::randn({32, 64}), target = torch::zeros({32, 8}, device);
  auto pinned = device.is_cuda() ? batch.pin_memory() : batch;

  gradtidy::TransferCounter counter;
  double total = 0;
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    auto mask = torch::rand({32, 8}).gt(0.1).to(device);
    auto loss = torch::mse_loss(model(batch.to(device)) * mask, target);
    loss.backward();
    optimizer.step();
    total += loss.item<double>();
    counter.step();
  }
  auto sum = torch::zeros({}, device);
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    auto mask = torch::rand({32, 8}, device).gt(0.1);
    auto loss = torch::mse_loss(model(pinned.to(device, /*non_blocking=*/true)) * mask, target);
    loss.backward();
    optimizer.step();
    sum += loss.detach();
    counter.step();
  }
  std::cout << counter.text();
  return total + sum.item<double>() > 0 ? 0 : 1;
}
