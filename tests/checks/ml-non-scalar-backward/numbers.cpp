// What is one number, may be one, or is given a gradient.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct CriticImpl : nn::Module {
  CriticImpl() { out = register_module("out", nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return out(x); }
  nn::Linear out{nullptr};
};
TORCH_MODULE(Critic);

void reduced_ok(nn::Linear net, torch::Tensor x, torch::Tensor y) {
  auto loss = torch::mse_loss(net(x), y);
  loss.backward();
  auto summed = torch::mse_loss(net(x), y, torch::Reduction::Sum);
  summed.backward();
  auto mean = torch::mse_loss(net(x), y, torch::Reduction::None).mean();
  mean.backward();
}

void reduced_by_hand_ok(torch::Tensor x, torch::Tensor y) {
  nn::Linear net(4, 3);
  (net(x) - y).pow(2).mean().backward();
  torch::sum(net(x)).backward();
  net(x).norm().backward();
  auto best = net(x).max();
  best.backward();
  net(x)[0][1].backward();
}

void weighted_ok(torch::Tensor x, torch::Tensor y, torch::Tensor weights) {
  nn::Linear net(4, 3);
  auto losses =
      F::cross_entropy(net(x), y, F::CrossEntropyFuncOptions().reduction(torch::kNone)) * weights;
  losses.mean().backward();
  losses.sum().backward();
  losses.index({weights > 0}).sum().backward();
  torch::mean(losses).backward();
}

void given_gradient_ok(torch::Tensor x) {
  nn::Linear net(4, 3);
  auto y = net(x);
  y.backward(torch::ones({8, 3}));
  y.backward(torch::ones_like(y), true);
}

// A layer of one feature gives one number of one sample.
void one_sample_ok(Critic critic, torch::Tensor state, torch::Tensor reward) {
  auto value = critic(state);
  auto loss = (value - reward).pow(2);
  loss.backward();
}

void one_number_ok(Critic critic) {
  auto value = critic(torch::ones({1, 4}));
  value.backward();
  auto w = torch::randn({1}, torch::requires_grad());
  (w * 2).backward();
  torch::mse_loss(critic(torch::ones({1, 4})), torch::ones({1, 1}), torch::Reduction::None)
      .backward();
}

void unknown_ok(torch::Tensor loss, torch::Tensor x, nn::Linear net, int64_t reduction) {
  loss.backward();
  net(x).backward();
  torch::mse_loss(x, loss, reduction).backward();
}

void chosen_ok(torch::Tensor x, torch::Tensor y, bool reduces) {
  nn::Linear net(4, 3);
  auto loss = (net(x) - y).pow(2);
  if (reduces)
    loss = loss.mean();
  else
    loss = loss.sum();
  loss.backward();
}

void accumulated_ok(torch::Tensor x, torch::Tensor y) {
  nn::Linear net(4, 3);
  auto total = torch::zeros({1});
  for (int i = 0; i < 3; ++i)
    total = total + torch::mse_loss(net(x), y);
  total.backward();
}

struct Policy {
  nn::Linear net{4, 2};
  std::vector<torch::Tensor> losses;
  void finish(torch::Tensor x) {
    auto scores = torch::log_softmax(net(x), 1);
    losses.push_back(scores[0][0]);
    auto loss = torch::stack(losses).sum();
    loss.backward();
    (-scores.select(1, 0)[0]).backward();
  }
};
