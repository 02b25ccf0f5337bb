// Logarithms of what may be 0.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct PolicyImpl : nn::Module {
  PolicyImpl() { out = register_module("out", nn::Linear(4, 3)); }
  torch::Tensor forward(torch::Tensor x) { return torch::softmax(out(x), 1); }
  nn::Linear out{nullptr};
};
TORCH_MODULE(Policy);

torch::Tensor entropy_bad(Policy policy, torch::Tensor x) {
  auto p = policy(x);
  return -(p * torch::log(p)).sum(1); // expect: ml-log-of-zero: 'p', a softmax, may be exactly 0
}

torch::Tensor method_bad(torch::Tensor x) {
  return x.softmax(1).log(); // expect: ml-log-of-zero: 'x.softmax(1)', a softmax
}

torch::Tensor by_hand_bad(torch::Tensor x, torch::Tensor y) {
  auto p = torch::sigmoid(x);
  return -(y * p.log()).mean(); // expect: ml-log-of-zero: 'p', a sigmoid, may be exactly 0
}

torch::Tensor reshaped_bad(Policy policy, torch::Tensor x) {
  auto p = policy(x).view({-1});
  return torch::log(p); // expect: ml-log-of-zero
}

// A softmax and a sigmoid, written out.
torch::Tensor probabilities(const torch::Tensor &x) {
  auto exponentials = torch::exp(x - x.mean());
  auto sum = exponentials.sum(1, true);
  return exponentials / sum;
}

torch::Tensor written_out_bad(torch::Tensor x, torch::Tensor y) {
  auto p = probabilities(x);
  auto q = 1 / (1 + torch::exp(-x));
  auto r = x.exp() / x.exp().sum(1, true);
  return -(y * p.log()).sum() + // expect: ml-log-of-zero: 'p', a softmax
         (y * q.log()).mean() + // expect: ml-log-of-zero: 'q', a sigmoid
         (y * r.log()).mean();  // expect: ml-log-of-zero: 'r', a softmax
}

torch::Tensor other_formulas_ok(torch::Tensor x, torch::Tensor y) {
  auto e = x.exp();
  auto p = e / y.exp().sum(1, true);
  auto q = 1 / (2 + torch::exp(-x));
  auto f = x.exp();
  f += 1;
  auto r = f / f.sum(1, true);
  return p.log() + q.log() + r.log() + (1 / (1 + torch::exp(x))).clamp_min(1e-6).log();
}

// What is left of 1.
torch::Tensor squashed_bad(torch::Tensor u, torch::Tensor density) {
  auto action = torch::tanh(u);
  return density - torch::log(1 - action.pow(2)).sum(1) - // expect: ml-log-of-zero: 1 - tanh^2
         (1.0 - action * action).log().sum(1);            // expect: ml-log-of-zero: 1 - tanh^2
}

torch::Tensor squashed_ok(torch::Tensor u, torch::Tensor density) {
  auto action = torch::tanh(u);
  return density - torch::log(1 - action.pow(2) + 1e-6).sum(1) - torch::log(2 - action.pow(2)) -
         torch::log(1 - u.pow(2)) - torch::log(1 - 0.9 * action.pow(2));
}

torch::Tensor fake_bad(torch::nn::Linear critic, torch::Tensor fake) {
  auto p = torch::sigmoid(critic(fake));
  return -torch::log(1.0 - p).mean(); // expect: ml-log-of-zero: the rest of a sigmoid
}

torch::Tensor fake_ok(torch::nn::Linear critic, torch::Tensor fake) {
  auto p = torch::sigmoid(critic(fake));
  return torch::log(1 - p + 1e-6) - torch::log(2 - p) - torch::log(1 - fake);
}

// One of several results of a forward pass.
struct Evaluation {
  torch::Tensor probabilities, value;
};
struct ActorCriticImpl : torch::nn::Module {
  torch::nn::Linear actor = register_module("actor", torch::nn::Linear(4, 3));
  torch::nn::Linear critic = register_module("critic", torch::nn::Linear(4, 1));
  Evaluation forward(torch::Tensor x) {
    auto probabilities = torch::softmax(actor(x), 1);
    return {probabilities, critic(x)};
  }
};
TORCH_MODULE(ActorCritic);
struct PairImpl : torch::nn::Module {
  torch::nn::Linear actor = register_module("actor", torch::nn::Linear(4, 3));
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    return {torch::log_softmax(actor(x), 1), torch::softmax(actor(x), 1)};
  }
};
TORCH_MODULE(Pair);
torch::Tensor several_bad(ActorCritic net, Pair pair, torch::Tensor x, torch::Tensor target) {
  auto evaluation = net->forward(x);
  auto [logarithms, probabilities] = pair->forward(x);
  auto entropy = probabilities * torch::log(probabilities); // expect: ml-log-of-zero
  return entropy.sum() -
         (target * torch::log(evaluation.probabilities)).sum(); // expect: ml-log-of-zero
}
torch::Tensor several_ok(ActorCritic net, Pair pair, torch::Tensor x) {
  auto evaluation = net->forward(x);
  auto [logarithms, probabilities] = pair->forward(x);
  return (probabilities * logarithms).sum() + torch::log(evaluation.value.abs()).sum() +
         torch::log(probabilities + 1e-8).sum();
}

// Right, or not known.

torch::Tensor bounded_ok(torch::Tensor x) {
  auto p = torch::softmax(x, 1);
  return torch::log(p + 1e-8) + torch::log(p.clamp(1e-8, 1)) + torch::log_softmax(x, 1) +
         p.clamp_min(1e-6).log() + (p * 0.9 + 0.05).log();
}

// What was sampled is possible.
torch::Tensor sampled(Policy policy, torch::Tensor x) {
  auto p = policy(x);
  auto action = p.multinomial(1);
  auto chosen = p.gather(1, action);
  return torch::log(chosen) + torch::log(p[0][1]) + p.gather(1, action).squeeze(1).log() +
         p.select(1, 0).log();
}

torch::Tensor unknown_ok(torch::Tensor p, torch::Tensor x) {
  return torch::log(p) + p.log() + torch::exp(x).log();
}
