// The notes tell where the member is used and where it is made.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl(double p) {
    fc = register_module("fc", torch::nn::Linear(4, 4));
    dropout = torch::nn::Dropout(p); // note: it is made here
  }
  torch::Tensor forward(torch::Tensor x) {
    return dropout(fc(x)); // note: it is used here
  }
  torch::nn::Linear fc{nullptr};
  torch::nn::Dropout dropout{nullptr}; // expect: ml-unregistered-module
};
TORCH_MODULE(Net);

// Made by the default constructor, and filled here.
struct LaterImpl : torch::nn::Module {
  LaterImpl() { layers->push_back(torch::nn::Linear(4, 4)); } // note: it is made here
  torch::Tensor encode(torch::Tensor x) { return layers->forward(x); } // note: it is used here
  torch::Tensor forward(torch::Tensor x) { return encode(x); }
  torch::nn::Sequential layers; // expect: ml-unregistered-module
};
