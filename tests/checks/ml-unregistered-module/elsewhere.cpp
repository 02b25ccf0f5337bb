// Constructors that are written elsewhere than their classes: the finding stands there.
#include <torch/torch.h>

struct DecoderImpl : torch::nn::Module {
  DecoderImpl();
  torch::Tensor forward(torch::Tensor x);
  torch::nn::Linear fc{nullptr};
  torch::nn::Dropout dropout{nullptr}; // Not here.
};

DecoderImpl::DecoderImpl() {
  fc = register_module("fc", torch::nn::Linear(4, 4));
  dropout = torch::nn::Dropout(0.5); // expect: ml-unregistered-module: 'dropout' is used in forward()
}

torch::Tensor DecoderImpl::forward(torch::Tensor x) { return dropout(fc(x)); }
