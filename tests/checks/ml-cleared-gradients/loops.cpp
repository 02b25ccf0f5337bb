// A loop that fills the gradients for a step behind it.
#include <torch/torch.h>

#include <memory>
#include <vector>

using Net = torch::nn::Linear;
using torch::Tensor;

void each_round_bad(Net net, torch::optim::SGD optimizer, const std::vector<Tensor> &parts) {
  for (int step = 0; step < 10; ++step) {
    for (const auto &part : parts) {
      optimizer.zero_grad(); // expect: ml-cleared-gradients (no fix) (level 1): those of the last round alone
      net(part).mean().backward();
    }
    optimizer.step();
  }
}

class Trainer {
public:
  explicit Trainer(Net net) : net(net), optimizer(net->parameters(), 0.1) {}
  void fill(const Tensor &part) {
    optimizer.zero_grad(); // expect: ml-cleared-gradients (no fix) (level 1)
    net(part).mean().backward();
  }
  void step() { optimizer.step(); }

private:
  Net net;
  torch::optim::SGD optimizer;
};

void by_methods_bad(Trainer &trainer, const std::vector<Tensor> &parts) {
  for (int step = 0; step < 10; ++step) {
    for (const auto &part : parts)
      trainer.fill(part);
    trainer.step();
  }
}

void before_the_rounds_ok(Net net, torch::optim::SGD optimizer, const std::vector<Tensor> &parts) {
  for (int step = 0; step < 10; ++step) {
    optimizer.zero_grad();
    for (const auto &part : parts)
      (net(part).mean() / double(parts.size())).backward();
    optimizer.step();
  }
}

void in_the_first_ok(Net net, torch::optim::SGD optimizer, const std::vector<Tensor> &parts) {
  for (int step = 0; step < 10; ++step) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i == 0)
        optimizer.zero_grad();
      net(parts[i]).mean().backward();
    }
    optimizer.step();
  }
}

// Each round adds its gradients up elsewhere.
void taken_ok(Net net, torch::optim::SGD optimizer, const std::vector<Tensor> &parts) {
  for (int step = 0; step < 10; ++step) {
    Tensor sum = torch::zeros_like(net->weight);
    for (const auto &part : parts) {
      optimizer.zero_grad();
      net(part).mean().backward();
      sum += net->weight.grad();
    }
    net->weight.mutable_grad() = sum;
    optimizer.step();
  }
}

// It tries until one is good.
void tried_ok(Net net, torch::optim::SGD optimizer, Tensor x) {
  bool isGood = false;
  while (!isGood) {
    optimizer.zero_grad();
    auto loss = net(x).mean();
    loss.backward();
    isGood = loss.item<float>() < 10;
  }
  optimizer.step();
}

void critic_first_ok(Net net, Net critic, torch::optim::SGD optimizer, torch::optim::SGD other,
                     Tensor x) {
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < 5; ++i) {
      other.zero_grad();
      critic(net(x).detach()).mean().backward();
      other.step();
    }
    optimizer.zero_grad();
    critic(net(x)).mean().backward();
    optimizer.step();
  }
}

// Each loop runs whole steps.
static void whole_step(torch::nn::Linear net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  optimizer.zero_grad();
  net(x).mean().backward();
  optimizer.step();
}

void warm_up_ok(torch::nn::Linear net, torch::optim::SGD &optimizer, torch::Tensor x) {
  for (int i = 0; i < 10; ++i)
    whole_step(net, optimizer, x);
  for (int i = 0; i < 50; ++i)
    whole_step(net, optimizer, x);
}
