// Averages of weights that were trained, in the parameters of another module.
#include <torch/torch.h>

#include <memory>

using Net = torch::nn::Linear;

// --- right ---------------------------------------------------------------------------------------

void guarded_ok(Net target, Net online) {
  torch::NoGradGuard guard;
  auto targets = target->parameters(), values = online->parameters();
  for (size_t i = 0; i < targets.size(); ++i)
    targets[i].mul_(0.99).add_(values[i], 0.01);
}

void values_ok(Net target, Net online) {
  auto targets = target->parameters(), values = online->parameters();
  for (size_t i = 0; i < targets.size(); ++i)
    targets[i].data().mul_(0.99).add_(values[i].data(), 0.01);
}

void detached_ok(Net target, Net online) {
  auto targets = target->parameters(), values = online->parameters();
  for (size_t i = 0; i < targets.size(); ++i)
    targets[i].detach().copy_(values[i]);
}

// Buffers have no gradient.
void buffers_ok(torch::nn::BatchNorm1d target, torch::nn::BatchNorm1d online) {
  auto targets = target->buffers(), values = online->buffers();
  for (size_t i = 0; i < targets.size(); ++i)
    targets[i].copy_(values[i]);
}

// Nothing has a graph here.
void constant_ok(Net target) {
  for (auto &p : target->parameters())
    p.requires_grad_(false);
  for (auto &p : target->parameters())
    p.mul_(0.99);
}

// --- wrong ---------------------------------------------------------------------------------------

void indices_bad(Net target, Net online) {
  auto targets = target->parameters(), values = online->parameters();
  for (size_t i = 0; i < targets.size(); ++i) {
    targets[i].mul_(0.99);
    targets[i].add_(values[i], 0.01); // expect: ml-manual-update-graph: 'targets[*]' is a parameter, and changed in place by what has a graph
  }
}

class Trainer {
public:
  Trainer() {
    for (auto &p : target->parameters())
      p.requires_grad_(false);
  }

  void update() {
    auto targets = target->parameters(), values = online->parameters();
    for (auto t = targets.begin(), v = values.begin(); t != targets.end(); ++t, ++v)
      t->copy_(0.99 * *t + 0.01 * *v); // expect: ml-manual-update-graph: its graph grows with every update
  }

private:
  Net online{4, 2}, target{4, 2};
};

void named_bad(std::shared_ptr<torch::nn::SequentialImpl> target, Net online) {
  auto values = online->named_parameters();
  for (auto &item : target->named_parameters())
    item.value().copy_(values[item.key()]); // expect: ml-manual-update-graph: is a parameter
}
