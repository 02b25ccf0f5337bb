// Outputs of modules in training loops and elsewhere.
#include <torch/torch.h>

#include <chrono>

namespace nn = torch::nn;

void overwritten_bad(nn::Linear encoder, nn::Linear decoder, torch::Tensor x, torch::Tensor target,
                     torch::optim::Optimizer &optimizer) {
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    auto output = encoder(x); // expect: ml-lost-output
    output = decoder(x);
    auto loss = torch::mse_loss(output, target);
    loss.backward();
    optimizer.step();
  }
}

// ---- nothing is lost

void warm_up_ok(nn::Linear net, torch::Tensor x) {
  for (int i = 0; i < 10; ++i)
    auto output = net(x);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    auto output = net(x);
  }
  const auto end = std::chrono::steady_clock::now();
  (void)(end - start);
}

torch::Tensor again_ok(nn::Linear net, torch::Tensor x) {
  auto output = net(x);
  output = net(x);
  return output;
}

void tested_ok(nn::Linear net, torch::Tensor x) { auto output = net(x); }

// Nobody has made anything of this template, so nobody knows what it joins.
template <typename T> struct OpenBlock : torch::nn::Module {
  T forward(T x) {
    kept = first(x);
    x = torch::relu(skip(x));
    x = torch::cat({x, kept}, 1);
    return torch::tanh(x);
  }
  torch::Tensor kept;
  torch::nn::Linear first = register_module("first", torch::nn::Linear(4, 4));
  torch::nn::Linear skip = register_module("skip", torch::nn::Linear(4, 4));
};
