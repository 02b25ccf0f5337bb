// The options of a layer can be changed when it is there.
#include <torch/torch.h>

struct Later : torch::nn::Module {
  Later() {
    lstm = register_module("lstm", torch::nn::LSTM(8, 16));
    lstm->options.batch_first(true);
  }
  torch::Tensor forward(torch::Tensor x) { return std::get<0>(lstm->forward(x)).select(1, -1); }
  torch::nn::LSTM lstm{nullptr};
};
