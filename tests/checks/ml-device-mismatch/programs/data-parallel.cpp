// Batches that go to several GPUs, wherever they are.
#include <torch/torch.h>

#include <torch/nn/parallel/data_parallel.h>

void from_the_host_ok(torch::Tensor x) {
  torch::nn::Linear net(4, 1);
  net->to(torch::kCUDA);
  torch::nn::parallel::data_parallel(net, torch::randn({64, 4})).mean().backward();
}
