// A whole program that names no GPU never brings a tensor to one.
#include <torch/torch.h>

struct Actor : torch::nn::Module {
  Actor() { layer = register_module("layer", torch::nn::Linear(4, 3)); }
  torch::Tensor forward(torch::Tensor s) {
    auto y = layer(s);
    const float *p = y.data_ptr<float>();
    return y * p[0];
  }
  torch::nn::Linear layer{nullptr};
};

int main() {
  torch::NoGradGuard guard;
  Actor actor;
  actor.eval();
  return actor.forward(torch::ones({8, 4})).sum().item<float>() > 0;
}
