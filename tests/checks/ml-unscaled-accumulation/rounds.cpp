// Functions that do one round each, and are called in a loop.
#include <torch/torch.h>

#include <memory>

using torch::Tensor;
using Net = torch::nn::Linear;

struct Config {
  double rate = 0.1;
  int every = 8;
};

struct Pack {
  Net net{8, 1};
  std::shared_ptr<torch::optim::Optimizer> optimizer;
  Config config;
  int window = 8;
  long step = 0;
};

void makeOptimizer(Pack &pack) {
  pack.config.every = 16;
  pack.optimizer = std::make_shared<torch::optim::SGD>(pack.net->parameters(), pack.config.rate);
}

float round_bad(Pack &pack, Tensor x) {
  const int every = pack.config.every;
  if (pack.step % every == 0)
    pack.optimizer->zero_grad();
  auto loss = pack.net(x).pow(2).mean();
  loss.backward(); // expect: ml-unscaled-accumulation: the gradients of every backwards
  if ((pack.step + 1) % every == 0)
    pack.optimizer->step();
  pack.step++;
  return loss.item<float>();
}

float cleared_behind_bad(Pack &pack, Tensor x) {
  auto loss = pack.net(x).pow(2).mean();
  loss.backward(); // expect: ml-unscaled-accumulation
  if (++pack.step % pack.window == 0) {
    pack.optimizer->step();
    pack.optimizer->zero_grad();
  }
  return loss.item<float>();
}


struct Other {
  int rounds = 4;
  long step = 0;
  Net net{8, 1};
  torch::optim::SGD optimizer{net->parameters(), 0.1};

  void round_ok(Tensor x) {
    const int every = rounds;
    auto loss = net(x).pow(2).mean() / rounds;
    loss.backward();
    if (++step % every == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
  void cleared_by_the_caller_ok(Tensor x) {
    net(x).pow(2).mean().backward();
    if (++step % 16 == 0)
      optimizer.step();
  }
};
