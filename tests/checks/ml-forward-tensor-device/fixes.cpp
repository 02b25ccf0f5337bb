// The device comes with the options of the input; a dtype is kept.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto noise = torch::randn({x.size(0), 4});             // expect: ml-forward-tensor-device
    auto mask = torch::ones({x.size(0), 4}, torch::kBool); // expect: ml-forward-tensor-device
    return linear((x + noise).masked_fill(mask, 0));
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(Net);

struct OptionsImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto options = torch::TensorOptions().dtype(torch::kFloat);
    auto noise = torch::randn({x.size(0), 4}, options); // expect: ml-forward-tensor-device
    return linear(x + noise);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(Options);
