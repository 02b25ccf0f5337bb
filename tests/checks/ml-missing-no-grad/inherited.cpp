// Classes that have no layers of their own, and those of their base.
#include <torch/torch.h>

#include <vector>

struct NetImpl : torch::nn::Module {
  NetImpl() { layer = register_module("layer", torch::nn::Linear(2, 2)); }
  torch::Tensor forward(torch::Tensor x) { return layer(x).relu(); }
  torch::nn::Linear layer{nullptr};
};

struct Half : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return 0.5 * x; }
};

std::vector<float> toVector(torch::Tensor x) {
  const float *begin = x.data_ptr<float>();
  return {begin, begin + x.numel()};
}

struct Wrapped : NetImpl {
  std::vector<float> predict_bad(torch::Tensor x) {
    torch::Tensor y = this->forward(x); // expect: ml-missing-no-grad
    return toVector(y);
  }
};

struct WrappedHalf : Half {
  std::vector<float> predict_ok(torch::Tensor x) {
    torch::Tensor y = this->forward(x);
    return toVector(y);
  }
};
