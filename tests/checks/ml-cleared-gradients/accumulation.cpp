// Gradients of several rounds that are added up.
#include <torch/torch.h>

void train_bad(torch::nn::Linear net, torch::optim::SGD &optimizer, torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    auto loss = net(x).mean() / 4;
    if ((i + 1) % 4 == 0)
      optimizer.zero_grad(); // expect: ml-cleared-gradients (no fix): that the rounds before have added up
    loss.backward();
    if ((i + 1) % 4 == 0)
      optimizer.step();
  }
}

void two_bad(torch::nn::Linear net, torch::optim::SGD &optimizer, torch::nn::Linear critic,
             torch::optim::SGD &other, torch::Tensor x, int i) {
  other.zero_grad();
  critic(x).mean().backward();
  other.step();
  auto loss = net(x).mean() / 4;
  if ((i + 1) % 4 == 0)
    optimizer.zero_grad(); // expect: ml-cleared-gradients (no fix)
  loss.backward();
  if ((i + 1) % 4 == 0)
    optimizer.step();
}

struct Trainer {
  void step_bad(torch::Tensor x) {
    auto loss = net(x).mean() / rounds;
    if ((count + 1) % rounds == 0)
      optimizer.zero_grad(); // expect: ml-cleared-gradients (no fix)
    loss.backward();
    if ((count + 1) % rounds == 0)
      optimizer.step();
    ++count;
  }
  void step_ok(torch::Tensor x) {
    auto loss = net(x).mean() / rounds;
    if (count % rounds == 0)
      optimizer.zero_grad();
    loss.backward();
    if ((count + 1) % rounds == 0)
      optimizer.step();
    ++count;
  }
  void behind_ok(torch::Tensor x) {
    (net(x).mean() / rounds).backward();
    if ((count + 1) % rounds == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
    ++count;
  }
  torch::nn::Linear net{4, 4};
  torch::optim::SGD optimizer{net->parameters(), 0.1};
  int count = 0, rounds = 4;
};

// All of it, in some rounds only.
void sometimes_ok(torch::nn::Linear net, torch::optim::SGD &optimizer, torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    auto y = net(x);
    if (i % 2 == 0) {
      optimizer.zero_grad();
      y.mean().backward();
      optimizer.step();
    }
  }
}
