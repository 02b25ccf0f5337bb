// A program that brings one of its models to the GPU, and trains the other on the CPU.
#include <torch/torch.h>

struct PartImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    return linear(x + torch::rand({4})); // expect: ml-forward-tensor-device (level 0)
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 4));
};
TORCH_MODULE(Part);

struct MovedImpl : torch::nn::Module {
  MovedImpl() {
    for (int i = 0; i < 2; ++i)
      parts->push_back(Part());
  }
  torch::Tensor forward(torch::Tensor x) {
    x = x + torch::zeros({4}); // expect: ml-forward-tensor-device (level 0)
    return parts->forward(x);
  }
  torch::nn::Sequential parts = register_module("parts", torch::nn::Sequential());
};
TORCH_MODULE(Moved);

struct LeftImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return linear(x + torch::rand({4})); } // expect: ml-forward-tensor-device (level 2)
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(Left);

int main() {
  const torch::Device device(torch::kCUDA);
  Moved moved;
  moved->to(device);
  Left left;
  torch::NoGradGuard guard;
  moved->eval();
  left->eval();
  std::cout << moved(torch::rand({2, 4}, device)) << left(torch::rand({2, 4}));
}
