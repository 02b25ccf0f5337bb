// A registered tensor is replaced (see ml-reassigned-parameter), or registered in a list.
#include <torch/torch.h>

namespace nn = torch::nn;

struct InPlace : nn::Module {
  InPlace() {
    weight = register_parameter("weight", torch::randn({4}));
    torch::NoGradGuard guard;
    weight *= 0.02;
    weight.mul_(2);
  }
  torch::Tensor forward(torch::Tensor x) { return x * weight; }
  torch::Tensor weight;
};

struct MadeBefore : nn::Module {
  MadeBefore() {
    weight = torch::randn({4});
    weight = register_parameter("weight", weight * 0.02);
  }
  torch::Tensor forward(torch::Tensor x) { return x * weight; }
  torch::Tensor weight;
};

struct EitherWay : nn::Module {
  EitherWay(bool isTrained) {
    if (isTrained)
      weight = register_parameter("weight", torch::randn({4}));
    else
      weight = torch::ones({4});
  }
  torch::Tensor forward(torch::Tensor x) { return x * weight; }
  torch::Tensor weight;
};

// State that forward() carries on.
struct Running : nn::Module {
  Running() { mean = register_buffer("mean", torch::zeros({4})); }
  torch::Tensor forward(torch::Tensor x) {
    mean = mean * 0.9 + x.mean(0) * 0.1;
    return x - mean;
  }
  torch::Tensor mean;
};

struct Scalar : nn::Module {
  torch::Tensor forward(torch::Tensor x) { return x / (x.norm() + epsilon); }
  torch::Tensor epsilon = torch::full({}, 1e-5);
};

// An element is written, which the registered tensor has.
struct Element : nn::Module {
  Element(int64_t size) {
    kernel = register_buffer("kernel", torch::zeros({size}));
    kernel[size / 2] = 1.0;
  }
  torch::Tensor forward(torch::Tensor x) { return x * kernel; }
  torch::Tensor kernel;
};
