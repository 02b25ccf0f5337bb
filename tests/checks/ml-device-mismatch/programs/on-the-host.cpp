// The program names no device: for now nothing is wrong.
#include <torch/torch.h>

struct ScaleImpl : torch::nn::Module {
  ScaleImpl() { scale = register_buffer("scale", torch::zeros({4}, torch::kFloat)); }
  torch::Tensor forward(torch::Tensor x) { return x * scale; }
  torch::Tensor scale;
};
TORCH_MODULE(Scale);

struct ScalingImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    Scale scale;
    return scale->forward(linear(x)); // expect: ml-device-mismatch (level 2)
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 4));
};
TORCH_MODULE(Scaling);

int main() {
  Scaling model;
  model->forward(torch::rand({8, 4}, torch::kFloat));
}
