// Modules whose parameters follow those of another module.
#include <torch/torch.h>

#include <memory>
#include <string>

using torch::Tensor;

struct Net : torch::nn::Module {
  Net()
      : fc(register_module("fc", torch::nn::Linear(4, 8))),
        bn(register_module("bn", torch::nn::BatchNorm1d(8))),
        out(register_module("out", torch::nn::Linear(8, 1))) {}
  Tensor forward(Tensor x) { return out(torch::relu(bn(fc(x)))); }
  torch::nn::Linear fc;
  torch::nn::BatchNorm1d bn;
  torch::nn::Linear out;
};

struct Plain : torch::nn::Module {
  Plain() : fc(register_module("fc", torch::nn::Linear(4, 1))) {}
  Tensor forward(Tensor x) { return fc(x); }
  torch::nn::Linear fc;
};

template <typename Module>
static void train(Module &net, torch::optim::Optimizer &optimizer, const Tensor &x) {
  net.train();
  optimizer.zero_grad();
  net.forward(x).mean().backward();
  optimizer.step();
}

static double evaluate(Net &net, const Tensor &x) {
  torch::NoGradGuard guard;
  net.eval();
  return net.forward(x).mean().item<double>();
}

// --- right ---------------------------------------------------------------------------------------

static void followAll(Net &target, Net &policy) {
  torch::NoGradGuard guard;
  auto to = target.parameters(), from = policy.parameters();
  for (size_t i = 0; i < to.size(); ++i)
    to[i].copy_(from[i] * 0.01 + to[i] * 0.99);
  auto into = target.buffers(), of = policy.buffers();
  for (size_t i = 0; i < into.size(); ++i)
    into[i].copy_(of[i]);
}

void both_ok(Tensor x) {
  Net policy, target;
  torch::optim::SGD optimizer(policy.parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    followAll(target, policy);
  }
  evaluate(target, x);
}

static void followParameters(Net &target, Net &policy) {
  torch::NoGradGuard guard;
  auto to = target.parameters(), from = policy.parameters();
  for (size_t i = 0; i < to.size(); ++i)
    to[i].copy_(from[i]);
}

static void followBuffers(Net &target, Net &policy) {
  torch::NoGradGuard guard;
  auto from = policy.named_buffers();
  for (auto &buffer : target.named_buffers())
    buffer.value().copy_(from[buffer.key()]);
}

void elsewhere_ok(Tensor x) {
  Net policy, target;
  torch::optim::SGD optimizer(policy.parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    followParameters(target, policy);
    followBuffers(target, policy);
    evaluate(target, x);
  }
}

void plain_ok(Tensor x) {
  Plain policy, target;
  torch::optim::SGD optimizer(policy.parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    torch::NoGradGuard guard;
    auto to = target.parameters(), from = policy.parameters();
    for (size_t j = 0; j < to.size(); ++j)
      to[j].copy_(from[j]);
    target.eval();
    target.forward(x);
  }
}

// In training mode it normalizes by what is in the batch.
void own_statistics_ok(Tensor x) {
  Net policy, target;
  torch::optim::SGD optimizer(policy.parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    torch::NoGradGuard guard;
    auto to = target.parameters(), from = policy.parameters();
    for (size_t j = 0; j < to.size(); ++j)
      to[j].copy_(from[j]);
    target.forward(x);
  }
}

// Its statistics are computed anew for its weights.
void computed_anew_ok(Tensor x) {
  Net policy, average;
  torch::optim::SGD optimizer(policy.parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    torch::NoGradGuard guard;
    auto to = average.parameters(), from = policy.parameters();
    for (size_t j = 0; j < to.size(); ++j)
      to[j].mul_(0.9).add_(from[j], 0.1);
  }
  average.train();
  average.forward(x);
  evaluate(average, x);
}

// What is never trained has the statistics that it was made with.
void frozen_ok(Tensor x) {
  Net policy, copy;
  {
    torch::NoGradGuard guard;
    auto to = copy.parameters(), from = policy.parameters();
    for (size_t j = 0; j < to.size(); ++j)
      to[j].copy_(from[j]);
  }
  evaluate(policy, x);
  evaluate(copy, x);
}

void steps_ok(Tensor x) {
  Net net;
  for (int i = 0; i < 10; ++i) {
    net.zero_grad();
    net.forward(x).mean().backward();
    torch::NoGradGuard guard;
    for (auto &parameter : net.parameters())
      parameter.sub_(0.1 * parameter.grad());
  }
  evaluate(net, x);
}

// --- wrong ---------------------------------------------------------------------------------------

static void followSlowly(Net &target, Net &policy, double tau) {
  torch::NoGradGuard guard;
  auto to = target.parameters(), from = policy.parameters();
  for (size_t i = 0; i < to.size(); ++i)
    to[i].copy_(from[i] * tau + to[i] * (1 - tau)); // expect: ml-missing-buffers: only the parameters of 'target' follow those of 'policy'
}

void soft_bad(Tensor x) {
  Net policy, target;
  torch::optim::SGD optimizer(policy.parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    followSlowly(target, policy, 0.01);
    evaluate(target, x); // The note is at the forward pass within.
  }
}

class Averaged {
public:
  void update() {
    torch::NoGradGuard guard;
    auto from = net->named_parameters();
    for (auto &item : average->named_parameters())
      item.value().mul_(decay).add_(from[item.key()], 1 - decay); // expect: ml-missing-buffers: 'averaged.average'
  }
  void step(Tensor x) {
    train(*net, optimizer, x);
    update();
  }
  double test(Tensor x) { return evaluate(*average, x); }

private:
  double decay = 0.99;
  std::shared_ptr<Net> net = std::make_shared<Net>(), average = std::make_shared<Net>();
  torch::optim::SGD optimizer{net->parameters(), 0.1};
};

void averaged_bad(Tensor x) {
  Averaged averaged;
  for (int i = 0; i < 10; ++i)
    averaged.step(x);
  averaged.test(x);
}

void saved_bad(Tensor x) {
  auto net = std::make_shared<Net>(), best = std::make_shared<Net>();
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i)
    train(*net, optimizer, x);
  auto to = best->parameters(), from = net->parameters();
  for (size_t i = 0; i < to.size(); ++i)
    to[i].set_data(from[i].detach().clone()); // expect: ml-missing-buffers: only the parameters of 'best' follow those of 'net'
  torch::save(best, "best.pt");
}

// --- the mode is put back ------------------------------------------------------------------------

static double evaluateAsItWas(Net &net, const Tensor &x) {
  torch::NoGradGuard guard;
  const bool wasTraining = net.is_training();
  net.eval();
  const double mean = net.forward(x).mean().item<double>();
  net.train(wasTraining);
  return mean;
}

void put_back_bad(Tensor x) {
  Net policy, target;
  target.eval();
  for (auto &parameter : target.parameters())
    parameter.requires_grad_(false);
  torch::optim::SGD optimizer(policy.parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    torch::NoGradGuard guard;
    target.forward(x);
    auto to = target.parameters(), from = policy.parameters();
    for (size_t j = 0; j < to.size(); ++j)
      to[j].mul_(0.99).add_(from[j], 0.01); // expect: ml-missing-buffers: only the parameters of 'target' follow
    evaluateAsItWas(policy, x);
    evaluateAsItWas(target, x);
  }
}
