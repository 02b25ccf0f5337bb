// Nothing is trained, but gradients are computed.
#include <torch/torch.h>

#include <iostream>

void show_ok(torch::nn::Sequential &net, torch::Tensor x) {
  torch::NoGradGuard guard;
  std::cout << net->forward(x).argmax(1);
}

int main() {
  torch::nn::Sequential net(torch::nn::Linear(4, 2));
  auto x = torch::ones({8, 4}, torch::requires_grad());
  show_ok(net, x);
}
