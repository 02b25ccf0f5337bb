// Tensors that are moved where something asks for that.
#include <torch/torch.h>

struct Config {
  int gpus = 0;
};

struct Scaled : torch::nn::Module {
  Scaled() { layer = register_module("layer", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) {
    auto scale = torch::tensor({1.f, 2.f, 3.f, 4.f});
    if (config.gpus > 0)
      scale = scale.cuda();
    return layer(x) * scale;
  }
  torch::nn::Linear layer{nullptr};
  Config config;
};

struct Unscaled : torch::nn::Module {
  Unscaled() { layer = register_module("layer", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) {
    auto scale = torch::tensor({1.f, 2.f, 3.f, 4.f}); // expect: ml-forward-tensor-device
    return layer(x) * scale;
  }
  torch::nn::Linear layer{nullptr};
};

void use(Scaled &scaled, Unscaled &unscaled) {
  scaled.to(torch::kCUDA);
  unscaled.to(torch::kCUDA);
}
