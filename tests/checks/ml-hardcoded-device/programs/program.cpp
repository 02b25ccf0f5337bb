// A program for GPUs alone.
#include <torch/torch.h>

int main() {
  torch::nn::Linear net(8, 8);
  auto x = torch::ones({4, 8}, torch::kCUDA); // expect: ml-hardcoded-device (level 2): cannot be told
  net->to(torch::kCUDA);
  net(x);
}
