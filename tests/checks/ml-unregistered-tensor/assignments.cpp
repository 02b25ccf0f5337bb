// An assignment is an expression: what it assigns may be registered right there.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::Tensor;

struct RegisteredInPlace : nn::Module {
  RegisteredInPlace() {
    register_parameter("weight", weight = torch::randn({4, 4}));
    register_buffer("mean", (mean = torch::randn({4})));
    register_buffer("first", first = second = torch::randn({4}));
  }
  Tensor forward(Tensor x) { return torch::matmul(x, weight) - mean + first + second; }
  Tensor weight, mean, first, second;
};

struct ChainedBad : nn::Module {
  ChainedBad() { first = second = torch::randn({4}); }
  Tensor forward(Tensor x) { return x + first + second; }
  Tensor first;  // expect: ml-unregistered-tensor: 'first'
  Tensor second; // expect: ml-unregistered-tensor: 'second'
};
