// A program that trains: its validation gives what the training may go on with.
#include <torch/torch.h>

#include <iostream>

void validate_ok(torch::nn::Sequential &net, torch::Tensor x) {
  torch::NoGradGuard guard;
  net->eval();
  std::cout << net->forward(x).argmax(1);
  net->train();
}

int main() {
  torch::nn::Sequential net(torch::nn::Linear(4, 2));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::ones({8, 4});
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    net->forward(x).pow(2).mean().backward();
    optimizer.step();
    validate_ok(net, x);
  }
}
