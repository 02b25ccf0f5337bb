// Parameters that are made by hand.
#include <torch/torch.h>

#include <iostream>

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  torch::nn::Linear fc = register_module("fc", torch::nn::Linear(4, 2));
};
TORCH_MODULE(Net);

// It looks at parameters, and may write to them.
void initialise_ok(Net &net, torch::Tensor x) {
  torch::NoGradGuard guard;
  for (auto &parameter : net->parameters())
    parameter.uniform_(-1, 1);
  std::cout << net(x).argmax(1);
}

int main() {
  Net net;
  initialise_ok(net, torch::ones({1, 4}));
}
