// The notes tell what fills the other layer.
#include <torch/torch.h>

namespace nn = torch::nn;

struct Net : nn::Module {
  nn::Linear hidden = register_module("hidden", nn::Linear(784, 128));
  nn::Linear output = register_module("output", nn::Linear(128, 10));

  Net() {
    nn::init::zeros_(hidden->weight); // expect: ml-zero-init
    nn::init::zeros_(output->weight); // note: those of 'output' are set here
  }

  torch::Tensor forward(torch::Tensor x) { return output(torch::relu(hidden(x))); }
};

struct Other : nn::Module {
  nn::Linear hidden = register_module("hidden", nn::Linear(784, 128));
  nn::Linear output = register_module("output", nn::Linear(128, 10));

  torch::Tensor forward(torch::Tensor x) { return output(torch::relu(hidden(x))); }
};

void applied_bad() {
  Other net;
  net.apply([](nn::Module &module) { // note: it is called for both here
    if (auto *linear = module.as<nn::Linear>())
      nn::init::zeros_(linear->weight); // expect: ml-zero-init
  });
}
