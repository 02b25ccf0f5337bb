// What is collected is differentiated later.
#include <torch/torch.h>

#include <map>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

void several_losses_ok(Net net, std::vector<Net> &heads, Optimizer &optimizer,
                       const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto features = net(batch.data);
    auto loss = torch::zeros({1});
    for (auto &head : heads)
      loss += torch::mse_loss(head(features), batch.target);
    loss.backward();
    optimizer.step();
  }
}

void sample_by_sample_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    torch::Tensor total = torch::zeros({1});
    for (const auto &batch : batches)
      total = total + torch::mse_loss(net(batch.data), batch.target);
    (total / static_cast<double>(batches.size())).backward();
    optimizer.step();
  }
}

void collected_then_stacked_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  std::vector<torch::Tensor> losses;
  for (const auto &batch : batches)
    losses.push_back(torch::mse_loss(net(batch.data), batch.target));
  optimizer.zero_grad();
  torch::stack(losses).mean().backward();
  optimizer.step();
}

void collected_then_added_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  std::map<std::string, torch::Tensor> losses;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto output = net(batch.data);
    losses["error"] = torch::mse_loss(output, batch.target);
    losses["size"] = output.norm();
    auto loss = torch::zeros({1});
    for (auto &named : losses)
      loss += named.second;
    loss.backward();
    optimizer.step();
  }
}

class Environment {
public:
  torch::Tensor reset();
  std::pair<torch::Tensor, double> act(int64_t action);
};

void reinforce_ok(Net policy, Optimizer &optimizer, Environment &environment) {
  for (int episode = 0; episode < 100; ++episode) {
    std::vector<torch::Tensor> logProbabilities;
    std::vector<double> rewards;
    auto state = environment.reset();
    for (int t = 0; t < 200; ++t) {
      auto probabilities = torch::softmax(policy(state), -1);
      auto action = probabilities.multinomial(1).item<int64_t>();
      logProbabilities.push_back(probabilities[action].log());
      auto [next, reward] = environment.act(action);
      rewards.push_back(reward);
      state = next;
    }
    auto loss = torch::zeros({1});
    double discounted = 0;
    for (size_t i = rewards.size(); i-- > 0;) {
      discounted = rewards[i] + 0.99 * discounted;
      loss -= logProbabilities[i] * discounted;
    }
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

// The buffers are members, and cleared when they have been used.
class Agent {
public:
  Agent() : policy(4, 2), optimizer(policy->parameters()) {}

  int64_t choose(const torch::Tensor &state) {
    auto probabilities = torch::softmax(policy(state), -1);
    const auto action = probabilities.multinomial(1).item<int64_t>();
    saved_.push_back(probabilities[action].log());
    return action;
  }

  void learn(const std::vector<double> &returns) {
    std::vector<torch::Tensor> terms;
    for (size_t i = 0; i < saved_.size(); ++i)
      terms.push_back(-saved_[i] * returns[i]);
    optimizer.zero_grad();
    torch::stack(terms).sum().backward();
    optimizer.step();
    saved_.clear();
  }

private:
  Net policy;
  torch::optim::Adam optimizer;
  std::vector<torch::Tensor> saved_;
};
void agent_ok(Agent &agent, Environment &environment) {
  for (int episode = 0; episode < 100; ++episode) {
    auto state = environment.reset();
    std::vector<double> rewards;
    for (int t = 0; t < 200; ++t) {
      auto [next, reward] = environment.act(agent.choose(state));
      rewards.push_back(reward);
      state = next;
    }
    agent.learn(rewards);
  }
}

void through_time_ok(torch::nn::GRUCell cell, Net head, Optimizer &optimizer,
                     const torch::Tensor &sequence, const torch::Tensor &target) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    auto state = torch::zeros({1, 16});
    auto loss = torch::zeros({1});
    std::vector<torch::Tensor> outputs;
    for (int64_t t = 0; t < sequence.size(0); ++t) {
      state = cell(sequence[t], state);
      loss += torch::mse_loss(head(state), target[t]);
      outputs.push_back(head(state));
    }
    optimizer.zero_grad();
    (loss + torch::cat(outputs).norm()).backward();
    optimizer.step();
  }
}

// One backward for every window of four, then a new sum.
void window_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  torch::Tensor window = torch::zeros({1});
  for (size_t i = 0; i < batches.size(); ++i) {
    window = window + torch::mse_loss(net(batches[i].data), batches[i].target);
    if (i % 4 == 3) {
      optimizer.zero_grad();
      window.backward();
      optimizer.step();
      window = torch::zeros({1});
    }
  }
}

torch::Tensor totalLoss(Net &net, const Batches &batches) {
  auto total = torch::zeros({1});
  for (const auto &batch : batches)
    total += torch::mse_loss(net(batch.data), batch.target);
  return total;
}
void differentiated_by_the_caller_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    totalLoss(net, batches).backward();
    optimizer.step();
  }
}

std::vector<torch::Tensor> allLosses(Net &net, const Batches &batches) {
  std::vector<torch::Tensor> losses;
  for (const auto &batch : batches)
    losses.push_back(torch::mse_loss(net(batch.data), batch.target));
  return losses;
}
void collection_for_autograd_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  optimizer.zero_grad();
  torch::autograd::backward(allLosses(net, batches));
  optimizer.step();
}

void gradients_of_the_sum_ok(Net net, const Batches &batches) {
  auto total = torch::zeros({1});
  for (const auto &batch : batches)
    total += torch::mse_loss(net(batch.data), batch.target);
  auto gradients = torch::autograd::grad({total}, net->parameters());
}

void differentiate(const std::vector<torch::Tensor> &losses);
void handed_to_an_unseen_function_ok(Net net, const Batches &batches) {
  std::vector<torch::Tensor> losses;
  for (const auto &batch : batches)
    losses.push_back(torch::mse_loss(net(batch.data), batch.target));
  differentiate(losses);
}
