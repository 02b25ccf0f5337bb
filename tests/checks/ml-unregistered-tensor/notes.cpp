// The notes tell where the tensor is used and where it is made.
#include <torch/torch.h>

struct EmbeddingImpl : torch::nn::Module {
  EmbeddingImpl(int64_t size) {
    position = torch::randn({1, size}); // note: it is made here
  }
  torch::Tensor forward(torch::Tensor x) { return x + position; } // note: it is used here
  torch::Tensor position; // expect: ml-unregistered-tensor
};
