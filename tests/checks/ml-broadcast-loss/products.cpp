// A number for each sample, weighted with a column of as many.
#include <torch/torch.h>

struct Batch {
  torch::Tensor states = torch::randn({8, 4}), rewards = torch::randn({8, 1});
};

torch::Tensor actor_bad(torch::nn::Linear &policy) {
  torch::nn::Linear value(4, 1), actor(4, 3);
  auto states = torch::randn({8, 4}), rewards = torch::randn({8, 1});
  auto logProbabilities = torch::log_softmax(actor(states), 1).sum(1);
  auto advantages = (rewards - value(states)).detach();
  return -(logProbabilities * advantages).mean(); // expect: ml-broadcast-loss: of shape (8, 1)
}

torch::Tensor actor_ok() {
  torch::nn::Linear value(4, 1), actor(4, 3);
  auto states = torch::randn({8, 4}), rewards = torch::randn({8, 1});
  auto logProbabilities = torch::log_softmax(actor(states), 1).sum(1, true);
  return -(logProbabilities * (rewards - value(states)).detach()).mean();
}

// The program has made the column itself: every pair is meant.
torch::Tensor pairs_ok() {
  torch::nn::Linear actor(4, 3);
  auto scores = actor(torch::randn({8, 4})).sum(1);
  auto table = scores.unsqueeze(1) * scores + scores.view({8, 1}) * scores;
  auto shares = scores.unsqueeze(-1).exp() * scores;
  return table.mean() + shares.mean();
}

// Of other things than the samples.
torch::Tensor factors_ok() {
  torch::nn::Linear value(4, 1);
  return (value(torch::randn({8, 4})) * torch::rand({5})).mean();
}

// What was chosen of the scores is a column, whatever the index was made of.
torch::Tensor ratio_bad(torch::nn::Linear &policy, torch::Tensor states,
                        const std::vector<int64_t> &actions, const std::vector<float> &before) {
  auto scores = torch::log_softmax(policy(states), 1);
  auto chosen = scores.gather(1, torch::tensor(actions).unsqueeze(1));
  return (chosen - torch::tensor(before)).exp(); // expect: ml-broadcast-loss: 'chosen' of shape (N, 1)
}

torch::Tensor ratio_ok(torch::nn::Linear &policy, torch::Tensor states,
                       const std::vector<int64_t> &actions, const std::vector<float> &before) {
  auto scores = torch::log_softmax(policy(states), 1);
  auto chosen = scores.gather(1, torch::tensor(actions).unsqueeze(1)).squeeze(1);
  return (chosen - torch::tensor(before)).exp();
}

torch::Tensor gain_bad(torch::nn::Linear &policy, torch::Tensor states,
                       const std::vector<int64_t> &actions, const std::vector<float> &gains) {
  auto scores = torch::log_softmax(policy(states), 1);
  auto chosen = scores.gather(1, torch::tensor(actions).unsqueeze(1));
  return -(chosen * torch::tensor(gains)).mean(); // expect: ml-broadcast-loss: 'chosen' of shape (N, 1)
}
