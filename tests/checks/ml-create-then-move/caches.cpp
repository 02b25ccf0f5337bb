// What is made anew only where what is kept will not do.
#include <torch/torch.h>

using torch::Tensor;
namespace nn = torch::nn;

struct RotaryImpl : nn::Module {
  RotaryImpl() {
    frequencies = register_buffer("frequencies", torch::ones({4}));
    extend_ok(128);
  }
  void extend_ok(int64_t length) {
    known = length;
    Tensor steps = torch::arange(known).to(frequencies.device());
    cosines = (steps.unsqueeze(1) * frequencies).relu();
  }
  Tensor forward(Tensor x) {
    if (x.size(1) > known)
      extend_ok(x.size(1));
    return x * cosines.slice(0, 0, x.size(1));
  }
  int64_t known = 0;
  Tensor frequencies, cosines;
};
TORCH_MODULE(Rotary);

// It is made for every input.
struct AlwaysImpl : nn::Module {
  AlwaysImpl() { frequencies = register_buffer("frequencies", torch::ones({4})); }
  void extend_bad(int64_t length) {
    Tensor steps = torch::arange(length).to(frequencies.device()); // expect: ml-create-then-move: made on the CPU
    cosines = (steps.unsqueeze(1) * frequencies).relu();
  }
  Tensor forward(Tensor x) {
    extend_bad(x.size(1));
    return x * cosines.slice(0, 0, x.size(1));
  }
  Tensor frequencies, cosines;
};
TORCH_MODULE(Always);

void train(Rotary rotary, Always always, torch::optim::Optimizer &optimizer, torch::Device device) {
  rotary->to(device);
  always->to(device);
  for (int i = 0; i < 10; ++i) {
    Tensor x = torch::zeros({2, 5, 4}, device);
    optimizer.zero_grad();
    (rotary(x).sum() + always(x).sum()).backward();
    optimizer.step();
  }
}
