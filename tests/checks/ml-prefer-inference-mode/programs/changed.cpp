// What comes out of InferenceMode cannot be changed in place outside.
#include <torch/torch.h>

#include <iostream>

torch::Tensor predict_ok(torch::nn::Sequential &net, torch::Tensor x) {
  torch::NoGradGuard guard;
  return net->forward(x);
}

void fill_ok(torch::nn::Sequential &net, torch::Tensor x, torch::Tensor &result) {
  torch::NoGradGuard guard;
  result = net->forward(x);
}

// Here nothing gets out.
void show_bad(torch::nn::Sequential &net, torch::Tensor x) {
  torch::NoGradGuard guard; // expect: ml-prefer-inference-mode
  std::cout << net->forward(x).argmax(1);
}

void block_ok(torch::nn::Sequential &net, torch::Tensor x) {
  torch::Tensor scores;
  {
    torch::NoGradGuard guard;
    scores = net->forward(x);
  }
  scores.mul_(2);
  std::cout << scores.argmax(1);
}

int main() {
  torch::nn::Sequential net(torch::nn::Linear(4, 2));
  net->eval();
  auto x = torch::ones({8, 4});
  auto scores = predict_ok(net, x);
  scores.mul_(2);
  fill_ok(net, x, scores);
  show_bad(net, x);
  block_ok(net, x);
}
