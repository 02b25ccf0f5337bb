// Gradients that are written by hand.
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  Net() : fc(register_module("fc", torch::nn::Linear(4, 4))) {}
  Tensor forward(Tensor x) { return fc(x); }
  torch::nn::Linear fc;
};

static void train(Net &net, torch::optim::Optimizer &optimizer, const Tensor &x) {
  optimizer.zero_grad();
  net.forward(x).mean().backward();
  optimizer.step();
}

// --- right ---------------------------------------------------------------------------------------

static void copyParameters(Net &target, Net &policy, double tau) {
  torch::NoGradGuard guard;
  auto to = target.parameters(), from = policy.parameters();
  for (size_t i = 0; i < to.size(); ++i)
    to[i].copy_(from[i] * tau + to[i] * (1 - tau));
}

void followed_ok(Tensor x) {
  Net policy, target;
  torch::optim::Adam optimizer(policy.parameters(), torch::optim::AdamOptions(1e-3));
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    copyParameters(target, policy, 0.01);
  }
}

static void shareGradients(Net &global, Net &local) {
  auto to = global.parameters(), from = local.parameters();
  for (size_t i = 0; i < to.size(); ++i)
    to[i].mutable_grad() = from[i].grad();
}

void stepped_ok(Tensor x) {
  Net global, local;
  torch::optim::Adam optimizer(global.parameters(), torch::optim::AdamOptions(1e-3));
  for (int i = 0; i < 10; ++i) {
    local.forward(x).mean().backward();
    shareGradients(global, local);
    optimizer.step();
  }
}

static double normOf(Net &net) {
  double sum = 0;
  for (auto &parameter : net.parameters())
    sum += parameter.grad().norm().item<double>();
  return sum;
}

void read_ok(Tensor x) {
  Net policy, average;
  torch::optim::Adam optimizer(policy.parameters(), torch::optim::AdamOptions(1e-3));
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    shareGradients(average, policy);
    std::cout << normOf(average);
  }
}

static void descend(Net &net, Net &from) {
  torch::NoGradGuard guard;
  auto to = net.parameters(), source = from.parameters();
  for (size_t i = 0; i < to.size(); ++i) {
    to[i].mutable_grad() = source[i].grad();
    to[i].sub_(0.1 * to[i].grad());
  }
}

void stepped_by_hand_ok(Tensor x) {
  Net policy, other;
  torch::optim::Adam optimizer(policy.parameters(), torch::optim::AdamOptions(1e-3));
  train(policy, optimizer, x);
  descend(other, policy);
}

void cleared_ok(Tensor x) {
  Net policy, other;
  torch::optim::Adam optimizer(policy.parameters(), torch::optim::AdamOptions(1e-3));
  train(policy, optimizer, x);
  for (auto &parameter : other.parameters())
    parameter.mutable_grad() = Tensor();
}

void given_ok(Net &target, Net &policy) { shareGradients(target, policy); }

// --- wrong ---------------------------------------------------------------------------------------

static void followSlowly(Net &target, Net &policy, double tau) {
  torch::NoGradGuard guard;
  auto to = target.named_parameters(true), from = policy.named_parameters(true);
  for (auto &source : from) {
    auto *found = to.find(source.key());
    if (!found || !source.value().grad().defined())
      continue;
    auto mixed = source.value().grad() * tau;
    if (found->grad().defined())
      mixed = mixed + found->grad() * (1 - tau);
    found->mutable_grad() = mixed; // expect: ml-unused-gradients: no optimizer has the parameters of 'target', and nobody reads these gradients: nothing comes of them
  }
}

void named_bad(Tensor x) {
  auto policy = std::make_shared<Net>(), target = std::make_shared<Net>();
  torch::optim::Adam optimizer(policy->parameters(), torch::optim::AdamOptions(1e-3));
  for (int i = 0; i < 10; ++i) {
    train(*policy, optimizer, x);
    followSlowly(*target, *policy, 0.005);
  }
}

class Agent {
public:
  void learn(const Tensor &x) {
    train(policy, optimizer, x);
    follow();
  }

private:
  void follow() {
    auto to = target.parameters(), from = policy.parameters();
    for (size_t i = 0; i < to.size(); ++i)
      to[i].mutable_grad() = from[i].grad() * 0.01; // expect: ml-unused-gradients: 'agent.target'
  }
  Net policy, target;
  torch::optim::SGD optimizer{policy.parameters(), 0.1};
};

void agent_bad(Tensor x) {
  Agent agent;
  agent.learn(x);
}

void copied_before_bad(Tensor x) {
  Net policy, target;
  auto from = policy.parameters(), to = target.parameters();
  {
    torch::NoGradGuard guard;
    for (size_t i = 0; i < to.size(); ++i)
      to[i].copy_(from[i]);
  }
  torch::optim::Adam optimizer(from, torch::optim::AdamOptions(1e-3));
  auto sum = torch::zeros({});
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    sum += x.mean();
    torch::NoGradGuard guard;
    for (size_t k = 0; k < to.size(); ++k)
      to[k].mutable_grad() = from[k].grad().clone(); // expect: ml-unused-gradients
  }
}

void changed_by_hand_ok(Tensor x) {
  Net policy, target;
  auto from = policy.parameters(), to = target.parameters();
  torch::optim::Adam optimizer(from, torch::optim::AdamOptions(1e-3));
  for (int i = 0; i < 10; ++i) {
    train(policy, optimizer, x);
    torch::NoGradGuard guard;
    for (size_t k = 0; k < to.size(); ++k) {
      to[k].mutable_grad() = from[k].grad().clone();
      to[k].sub_(to[k].grad());
    }
  }
}

// --- what a backward adds -------------------------------------------------------------------------

struct Learner {
  Net policy, target;
  torch::optim::Adam optimizer{policy.parameters(), torch::optim::AdamOptions(1e-3)};

  Learner() { copyParameters(target, policy, 1); }

  void learn_bad(Tensor states, Tensor next, Tensor rewards) {
    Tensor values = policy.forward(states);
    Tensor expected = rewards + 0.9 * target.forward(next); // expect: ml-unused-gradients: no optimizer has the parameters of 'target'
    Tensor loss = torch::mse_loss(values, expected);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    copyParameters(target, policy, 0.01);
  }

  void learn_ok(Tensor states, Tensor next, Tensor rewards) {
    Tensor values = policy.forward(states);
    Tensor expected = rewards + 0.9 * target.forward(next).detach();
    Tensor loss = torch::mse_loss(values, expected);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }

  // What the target says of the action goes back to the policy that has chosen it.
  void judged_ok(Tensor states) {
    Tensor loss = -target.forward(policy.forward(states)).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
};
