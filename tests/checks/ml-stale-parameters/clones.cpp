// Networks that are trained in the place of the one that the optimizer knows.
#include <torch/torch.h>

#include <memory>
#include <string>

struct Net : torch::nn::Module {
  explicit Net(int n) : n(n) { fc = register_module("fc", torch::nn::Linear(n, n)); }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }

  std::shared_ptr<Net> copy() const {
    auto copied = std::make_shared<Net>(n);
    torch::NoGradGuard guard;
    auto theirs = copied->named_parameters();
    for (const auto &item : named_parameters())
      theirs[item.key()].copy_(item.value());
    return copied;
  }

  torch::nn::Linear fc{nullptr};
  int n;
};

using Optimizer = std::shared_ptr<torch::optim::Optimizer>;

std::shared_ptr<Net> load(std::shared_ptr<Net> net, const std::string &file) {
  if (file.empty())
    return nullptr;
  torch::load(net, file);
  return net;
}

void train_bad(Optimizer optimizer, std::shared_ptr<Net> net) {
  for (int step = 0; step < 10; ++step) {
    auto x = torch::rand({8, 4});
    optimizer->zero_grad();
    torch::mse_loss(net->forward(x), x).backward(); // expect: ml-stale-parameters: is trained, but the optimizer has the parameters of another module
    optimizer->step();
  }
}

void self_play(const std::string &file) {
  auto best = std::make_shared<Net>(4);
  best = load(best, file);
  if (!best)
    best = std::make_shared<Net>(4);
  auto optimizer = std::make_shared<torch::optim::Adam>(best->parameters(), 1e-3);
  for (int round = 0; round < 10; ++round)
    train_bad(optimizer, best->copy());
}

void train_ok(Optimizer optimizer, std::shared_ptr<Net> net) {
  for (int step = 0; step < 10; ++step) {
    auto x = torch::rand({8, 4});
    optimizer->zero_grad();
    torch::mse_loss(net->forward(x), x).backward();
    optimizer->step();
  }
}

void fresh_optimizer(const std::string &file) {
  auto best = std::make_shared<Net>(4);
  best = load(best, file);
  if (!best)
    best = std::make_shared<Net>(4);
  for (int round = 0; round < 10; ++round) {
    auto next = best->copy();
    train_ok(std::make_shared<torch::optim::Adam>(next->parameters(), 1e-3), next);
    best = next;
  }
}
