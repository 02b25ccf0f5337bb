// A module that has registered nothing is nowhere: its own tensors stay where they are, and it may
// move them itself.
#include <torch/torch.h>

using torch::Tensor;
namespace nn = torch::nn;

struct WindowLossImpl : nn::Module {
  WindowLossImpl() { window = torch::ones({4}); }
  Tensor forward(Tensor x) { return (x * window.to(x.device())).mean(); }
  Tensor window;
};
TORCH_MODULE(WindowLoss);

struct ScaledLossImpl : nn::Module {
  ScaledLossImpl() { scale = register_buffer("scale", torch::ones({4})); }
  Tensor forward(Tensor x) { return (x * scale).mean(); }
  Tensor scale;
};
TORCH_MODULE(ScaledLoss);

Tensor alone_ok(torch::Device device) {
  WindowLoss loss;
  return loss(torch::zeros({2, 4}, device));
}

Tensor registered_bad(torch::Device device) {
  ScaledLoss loss;
  return loss(torch::zeros({2, 4}, device)); // expect: ml-device-mismatch: one on the CPU, one on 'device'
}
