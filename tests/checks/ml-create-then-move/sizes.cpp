// A factory that takes sizes alone cannot make anything on another device.
#include <torch/torch.h>

static const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);

struct Net : torch::nn::Module {
  torch::Tensor mask_ok(torch::Tensor x) {
    auto mask =
        torch::nn::TransformerImpl::generate_square_subsequent_mask(x.size(0)).to(x.device());
    return x + mask;
  }
  torch::Tensor ones_bad(torch::Tensor x) {
    auto mask = torch::ones({x.size(0), 4}).to(x.device()); // expect: ml-create-then-move
    return x + mask;
  }
};
