// A module that is registered part by part.
#include <torch/torch.h>

struct Head : torch::nn::Module {
  Head() { linear = register_module("linear", torch::nn::Linear(4, 2)); }
  torch::Tensor forward(torch::Tensor x) { return linear(x); }
  torch::nn::Linear linear{nullptr};
};

class Net : public torch::nn::Module {
public:
  Net() : head(adopt(Head())), other(keep(Head())) {}
  torch::Tensor forward(torch::Tensor x) { return head.forward(x) + other.forward(x); }

private:
  Head adopt(Head part) {
    register_module("head_linear", part.linear);
    return part;
  }
  Head keep(Head part) { return part; }

  Head head;
  Head other; // expect: ml-unregistered-module (no fix)
};
