// Steps and clears in closures, and in what algorithms of the library call.
#include <torch/torch.h>

#include <algorithm>
#include <functional>

namespace nn = torch::nn;

torch::Tensor sample() { return torch::rand({4}); }

void function_bad(nn::Linear net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::function<float(torch::Tensor)> train = [&](torch::Tensor x) {
    auto loss = net(x).sum();
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad
    return loss.item<float>();
  };
  for (int i = 0; i < 9; ++i)
    train(sample());
}

void function_ok(nn::Linear net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::function<void()> clear = [&] { optimizer.zero_grad(); };
  for (int i = 0; i < 9; ++i) {
    clear();
    net(sample()).sum().backward();
    optimizer.step();
  }
}

void algorithm_ok(nn::Linear net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 9; ++i) {
    net(sample()).sum().backward();
    optimizer.step();
    auto parameters = net->parameters();
    std::for_each(parameters.begin(), parameters.end(), [](torch::Tensor &p) { p.grad().zero_(); });
  }
}

void generic_ok(nn::Linear net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 9; ++i) {
    net(sample()).sum().backward();
    optimizer.step();
    auto parameters = net->parameters();
    std::for_each(parameters.begin(), parameters.end(), [](auto p) {
      if (p.grad().defined())
        p.grad().zero_();
    });
  }
}

void algorithm_bad(nn::Linear net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 9; ++i) {
    net(sample()).sum().backward();
    optimizer.step(); // expect: ml-missing-zero-grad
    auto parameters = net->parameters();
    std::for_each(parameters.begin(), parameters.end(), [](const torch::Tensor &p) { p.size(0); });
  }
}

// A closure that initialises a member.
struct Trained_bad {
  nn::Linear net{4, 4};
  torch::Tensor input = sample();
  int rounds = [this] {
    torch::optim::SGD optimizer(net->parameters(), 0.1);
    for (int i = 0; i < 9; ++i) {
      net(input).sum().backward();
      optimizer.step(); // expect: ml-missing-zero-grad
    }
    return 9;
  }();
};
