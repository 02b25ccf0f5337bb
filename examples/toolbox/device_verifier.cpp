// A module that sets its statistics anew in a method of its own and forgets the device.
#include <gradtidy/DeviceVerifier.h>
#include <torch/torch.h>

#include <iostream>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    layer = register_module("layer", torch::nn::Linear(4, 2));
    mean = register_buffer("mean", torch::zeros({4}));
    deviation = register_buffer("deviation", torch::ones({4}));
  }
  void forgetStatistics() {
    mean.set_data(torch::zeros({4}));
    deviation.set_data(torch::ones({4}));
  }
  torch::Tensor forward(torch::Tensor x) { return layer((x - mean) / deviation); }

  torch::nn::Linear layer{nullptr};
  torch::Tensor mean, deviation;
};
TORCH_MODULE(Net);

int main() {
  const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU, 0);
  Net model;
  model->to(device);
  gradtidy::verifyDevice(*model, device);
  model->forgetStatistics();
  try {
    gradtidy::verifyDevice(*model, device);
    std::cout << "everything is on " << device << '\n';
  } catch (const c10::Error &error) {
    std::cout << error.what_without_backtrace() << '\n';
  }
}
