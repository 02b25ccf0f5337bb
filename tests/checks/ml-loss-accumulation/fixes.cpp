// Where .detach() is put.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void simple_bad(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto total = torch::zeros({1});
  std::vector<torch::Tensor> losses;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.step();
    total += loss;          // expect: ml-loss-accumulation
    losses.push_back(loss); // expect: ml-loss-accumulation
  }
}

// Parentheses where the value is no single term.
void expressions_bad(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x,
                     torch::Tensor y) {
  auto total = torch::zeros({1}), sum = torch::zeros({1});
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.step();
    total += loss * 0.5; // expect: ml-loss-accumulation
    sum = sum + loss;    // expect: ml-loss-accumulation
  }
}
