// The argument is dropped, and with it those that stood for its sake.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void simple_bad(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward({}, true); // expect: ml-retain-graph
    optimizer.step();
  }
}

void gradient_kept_bad(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto output = net(x);
    output.backward(torch::ones_like(output), true); // expect: ml-retain-graph
    optimizer.step();
  }
}
