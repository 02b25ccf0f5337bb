// The clear moves in front of the backward.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void simple_bad(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.zero_grad(); // expect: ml-cleared-gradients
    optimizer.step();
  }
}
