// The model goes to the GPU if there is one, its batches always.
#include <torch/torch.h>

using torch::Tensor;

static Tensor step(torch::nn::Linear &net, Tensor x) {
  x = x.to(torch::kCUDA); // expect: ml-hardcoded-device: although the program asks whether there is one
  return net(x);
}

int main() {
  torch::nn::Linear net(8, 8);
  const bool has_gpu = torch::cuda::is_available();
  if (has_gpu)
    net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    step(net, torch::ones({4, 8})).mean().backward();
    optimizer.step();
  }
}
