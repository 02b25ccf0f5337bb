// Batches that are copied from ordinary memory while the device waits, then batches that are there.
#include <gradtidy/BusyMeter.h>
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::manual_seed(1);
  const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU, 0);
  torch::nn::Sequential model(torch::nn::Linear(1024, 1024), torch::nn::ReLU(),
                              torch::nn::Linear(1024, 10));
  model->to(device);
  torch::optim::SGD optimizer(model->parameters(), 0.01);
  auto batches = torch::randn({20, 256, 1024});

  auto train = [&](const torch::Tensor &source) {
    gradtidy::BusyMeter meter(device);
    for (int64_t i = 0; i < source.size(0); ++i) {
      auto batch = source[i].to(device);
      meter.work();
      optimizer.zero_grad();
      model->forward(batch).square().mean().backward();
      optimizer.step();
      meter.step();
    }
    return meter.text();
  };
  std::cout << "from the host:     " << train(batches);
  std::cout << "already there:     " << train(batches.to(device));
}
