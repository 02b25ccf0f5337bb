// Where in a loop the cache is given back. LibTorch's header needs CUDA's, so only with the stand-in.
#include <torch/torch.h>

#include <c10/cuda/CUDACachingAllocator.h>

using Net = torch::nn::Linear;

void every_step_bad(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
    c10::cuda::CUDACachingAllocator::emptyCache(); // expect: ml-empty-cache
  }
}

void tidyUp() {
  c10::cuda::CUDACachingAllocator::emptyCache(); // expect: ml-empty-cache
}
void in_a_helper_bad(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch)
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step();
      tidyUp();
    }
}

void every_epoch_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step();
    }
    c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

void now_and_then_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
    if (i % 1000 == 999)
      c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

void between_phases_ok(Net net, torch::Tensor x) {
  net(x).mean().backward();
  c10::cuda::CUDACachingAllocator::emptyCache();
}
