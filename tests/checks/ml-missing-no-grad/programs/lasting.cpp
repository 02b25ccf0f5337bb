// A guard that lives as long as the program.
#include <torch/torch.h>

#include <iostream>

static torch::NoGradGuard noGrad;

int main() {
  torch::nn::Linear net(4, 2);
  net->eval();
  for (int i = 0; i < 10; ++i)
    std::cout << net(torch::ones({1, 4})).argmax().item<int>();
  for (torch::Tensor &parameter : net->parameters())
    parameter.mul_(0.5);
}
