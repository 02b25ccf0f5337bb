// The guard lives as long as the program: nothing gets out, and all may be changed.
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::NoGradGuard guard; // expect: ml-prefer-inference-mode
  torch::nn::Sequential net(torch::nn::Linear(4, 2));
  torch::load(net, "net.pt");
  net->eval();
  auto scores = net->forward(torch::ones({8, 4}));
  scores.mul_(2);
  std::cout << scores.argmax(1);
}
