// The whole program moves its module.
#include <torch/torch.h>

struct NoisyImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto noise = torch::randn({x.size(0), 4}); // expect: ml-forward-tensor-device (level 0)
    return linear(x + noise);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(Noisy);

int main() {
  Noisy model;
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  model->to(device);
  model->forward(torch::rand({8, 4}, device));
}
