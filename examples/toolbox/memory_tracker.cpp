// How much memory a validation takes, with the graph that nobody needs and without it.
#include <gradtidy/MemoryTracker.h>
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::manual_seed(1);
  const torch::Device device =
      torch::cuda::is_available() ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);
  torch::nn::Sequential model;
  for (int i = 0; i < 8; ++i) {
    model->push_back(torch::nn::Linear(256, 256));
    model->push_back(torch::nn::Tanh());
  }
  model->to(device);
  auto batch = torch::randn({1024, 256}).to(device);
  {
    gradtidy::MemoryTracker memory;
    auto output = model->forward(batch);
    std::cout << "with gradients:    peak " << gradtidy::bytesText(memory.peak(device)) << ", kept "
              << gradtidy::bytesText(memory.delta(device)) << '\n';
  }
  {
    torch::NoGradGuard guard;
    gradtidy::MemoryTracker memory;
    auto output = model->forward(batch);
    std::cout << "without gradients: peak " << gradtidy::bytesText(memory.peak(device)) << ", kept "
              << gradtidy::bytesText(memory.delta(device)) << '\n'
              << memory.summary();
  }
}
