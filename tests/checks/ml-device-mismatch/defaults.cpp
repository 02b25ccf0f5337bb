// A device that is a default argument may be the one where the rest is.
#include <torch/torch.h>

using Net = torch::nn::Linear;

static void train_ok(Net &net, torch::Tensor x, torch::Device device = torch::kCPU) {
  auto loss = net(x.to(device)).sum();
  loss.backward();
}

int main() {
  Net net(2, 2);
  train_ok(net, torch::ones({2, 2}));
}
