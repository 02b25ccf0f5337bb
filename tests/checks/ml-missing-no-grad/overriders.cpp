// A call may run any of those that override its function.
#include <torch/torch.h>

#include <memory>

using torch::Tensor;

struct Agent {
  virtual ~Agent() = default;
  virtual Tensor act(Tensor state) = 0;
  virtual void prepare() {}
};

struct Calm : Agent {
  Tensor act(Tensor state) override { return net->forward(state); } // expect: ml-missing-no-grad
  torch::nn::Sequential net;
};

struct Bold : Agent {
  Tensor act(Tensor state) override {
    return torch::tanh(net->forward(state)); // expect: ml-missing-no-grad
  }
  torch::nn::Sequential net;
};

float play_bad(Agent &agent, int steps) {
  float total = 0;
  for (int i = 0; i < steps; ++i)
    total += agent.act(torch::ones({2}))[0].item<float>();
  return total;
}

float play_ok(Agent &agent, int steps) {
  torch::NoGradGuard guard;
  float total = 0;
  for (int i = 0; i < steps; ++i)
    total += agent.act(torch::ones({2}))[0].item<float>();
  return total;
}

// Each of them has its own guard.
struct Player {
  virtual ~Player() = default;
  virtual Tensor move(Tensor state) = 0;
};

struct Quick : Player {
  Tensor move(Tensor state) override {
    torch::NoGradGuard guard;
    return net->forward(state);
  }
  torch::nn::Sequential net;
};

struct Slow : Player {
  Tensor move(Tensor state) override {
    torch::NoGradGuard guard;
    return torch::tanh(net->forward(state));
  }
  torch::nn::Sequential net;
};

float turns_ok(Player &player, int steps) {
  float total = 0;
  for (int i = 0; i < steps; ++i)
    total += player.move(torch::ones({2}))[0].item<float>();
  return total;
}
