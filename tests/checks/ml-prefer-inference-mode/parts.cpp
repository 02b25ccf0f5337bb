// No main(): what others do with the results is not known, nor what else trains.
#include <torch/torch.h>

#include <iostream>

void show_ok(torch::nn::Sequential &net, torch::Tensor x) {
  torch::NoGradGuard guard;
  std::cout << net->forward(x).argmax(1);
}
