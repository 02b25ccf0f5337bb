// The data may go to a GPU, the module never does: for now nothing is wrong.
#include <torch/torch.h>

struct NoisyImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto noise = torch::randn({x.size(0), 4}); // expect: ml-forward-tensor-device (level 2)
    return linear(x + noise);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(Noisy);

struct Samples {
  Samples(torch::Tensor inputs, torch::Device device) : inputs(inputs.to(device)) {}
  torch::Tensor inputs;
};

int main() {
  Noisy model;
  model->forward(torch::rand({8, 4}));
  Samples samples(torch::rand({8, 4}), torch::Device(torch::kCPU));
}
