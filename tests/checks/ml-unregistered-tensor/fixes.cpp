// How a tensor is registered (fixes.cpp.fixed is the whole repaired text).
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::Tensor;

struct Assigned : nn::Module {
  Assigned() {
    buffer = torch::randn({4});
    trained = torch::randn({4}, torch::TensorOptions().requires_grad(true));
  }
  Tensor forward(Tensor x) { return x * trained + buffer; }
  Tensor buffer;  // expect: ml-unregistered-tensor
  Tensor trained; // expect: ml-unregistered-tensor
};

struct Initialised : nn::Module {
  Initialised(Tensor mean) : offset(torch::zeros({4})), mean(mean * 2) {}
  Tensor forward(Tensor x) { return x + offset - mean; }
  Tensor offset; // expect: ml-unregistered-tensor
  Tensor mean; // expect: ml-unregistered-tensor
};

struct ByDefault : nn::Module {
  explicit ByDefault(double scale) { (void)scale; }
  Tensor forward(Tensor x) { return x * scale; }
  Tensor scale = torch::ones({4}); // expect: ml-unregistered-tensor
};

// Twice in one place: the second would throw.
struct Twice : nn::Module {
  Twice() {
    table = torch::zeros({4});
    table = torch::exp(table);
  }
  Tensor forward(Tensor x) { return x + table; }
  Tensor table; // expect: ml-unregistered-tensor (no fix)
};
