// Layers that are made of a function: they call it with what they are told once.
#include <torch/torch.h>

struct HeadImpl : torch::nn::Module {
  HeadImpl() {
    layers->push_back(torch::nn::Linear(4, 4));
    layers->push_back(torch::nn::Functional(torch::relu));
    layers->push_back(
        torch::nn::Functional(torch::dropout, 0.5, true)); // expect: ml-functional-dropout (no fix)
    layers->push_back(torch::nn::Functional(torch::dropout, 0.5, false));
    layers->push_back(torch::nn::Functional(torch::dropout, 0.0, true));
    register_module("layers", layers);
  }
  explicit HeadImpl(bool samples) {
    layers->push_back(torch::nn::Functional(torch::dropout, 0.5, samples));
    register_module("layers", layers);
  }
  torch::Tensor forward(torch::Tensor x) { return layers->forward(x); }

  torch::nn::Sequential layers;
};
TORCH_MODULE(Head);
