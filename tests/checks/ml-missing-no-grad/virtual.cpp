// Who calls an interface calls one of the classes behind it.
#include <torch/torch.h>

#include <iostream>

struct Player {
  virtual ~Player() = default;
  virtual int64_t act(torch::Tensor x) = 0;
  virtual int64_t play(torch::Tensor x) = 0;
  virtual torch::Tensor values(torch::Tensor x) = 0;
};

struct RandomPlayer : Player {
  int64_t act(torch::Tensor x) override { return 0; }
  int64_t play(torch::Tensor x) override { return 1; }
  torch::Tensor values(torch::Tensor x) override { return torch::rand({2}); }
};

struct GreedyPlayer : Player {
  torch::nn::Sequential net{torch::nn::Linear(4, 4), torch::nn::Linear(4, 2)};
  int64_t act(torch::Tensor x) override { return net->forward(x).argmax().item<int64_t>(); }
  int64_t play(torch::Tensor x) override {
    return net->forward(x).argmax().item<int64_t>(); // expect: ml-missing-no-grad
  }
  torch::Tensor values(torch::Tensor x) override { return net->forward(x); }
};

void guarded_ok(Player &first, Player &second, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  for (int i = 0; i < 10; ++i)
    std::cout << (i % 2 ? first : second).act(x);
}

void unguarded_bad(Player &player, torch::Tensor x) {
  for (int i = 0; i < 10; ++i)
    std::cout << player.play(x);
}

void trained_ok(Player &player, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  optimizer.zero_grad();
  player.values(x).mean().backward();
  optimizer.step();
}
