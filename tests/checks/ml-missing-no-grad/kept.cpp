// What members of any objects keep, for an update that wants the numbers.
#include <torch/torch.h>

#include <memory>
#include <vector>

namespace nn = torch::nn;

struct ActorImpl : nn::Module {
  nn::Linear layer = register_module("layer", nn::Linear(4, 2));
  torch::Tensor forward(torch::Tensor x) { return torch::log_softmax(layer(x), -1); }
};
TORCH_MODULE(Actor);

// Detached where it is used.
struct Rollout {
  std::vector<torch::Tensor> states, logs;
};

long act_bad(Actor actor, torch::Tensor state, Rollout &rollout) {
  auto logs = actor(state); // expect: ml-missing-no-grad
  auto action = logs.argmax(-1);
  rollout.states.push_back(state);
  rollout.logs.push_back(logs.index_select(-1, action));
  return action.item<long>();
}

void update_ok(Actor actor, torch::optim::Optimizer &optimizer, Rollout &rollout) {
  auto states = torch::stack(rollout.states);
  auto old = torch::stack(rollout.logs).detach();
  optimizer.zero_grad();
  (actor(states) - old).mean().backward();
  optimizer.step();
  rollout.logs.clear();
}

// The same of objects that nobody knows, with a list in between.
struct Agent {
  Actor actor;
  std::vector<torch::Tensor> values;
};

struct Game {
  std::vector<std::unique_ptr<Agent>> agents;

  long act_bad(size_t i, torch::Tensor state) {
    auto value = agents[i]->actor->forward(state); // expect: ml-missing-no-grad
    agents[i]->values.push_back(value);
    return value.argmax().item<long>();
  }

  void update_ok(size_t i, torch::Tensor states, torch::optim::Optimizer &optimizer) {
    auto values = agents[i]->values;
    torch::Tensor all = torch::cat(values, 0);
    auto old = all.detach();
    optimizer.zero_grad();
    (agents[i]->actor->forward(states) - old).mean().backward();
    optimizer.step();
  }
};

// With its graph.
struct Episode {
  std::vector<torch::Tensor> logs, entropies;
};

long explore_ok(Actor actor, torch::Tensor state, Episode *episode) {
  auto logs = actor(state);
  episode->logs.push_back(logs.max());
  episode->entropies.push_back(logs.mean().detach());
  return logs.argmax(-1).item<long>();
}

void reinforce_ok(torch::optim::Optimizer &optimizer, torch::Tensor returns, Episode *episode) {
  auto logs = torch::stack(episode->logs);
  std::cout << logs.detach().mean().item<float>();
  optimizer.zero_grad();
  (-logs * returns).sum().backward();
  optimizer.step();
}

// Who else reads it is not seen, or what others do with it.
struct Log {
  std::vector<torch::Tensor> unread, given, handed;
};
void learn(const std::vector<torch::Tensor> &logs);

long record_ok(Actor actor, torch::Tensor state, Log &log) {
  auto logs = actor(state);
  log.unread.push_back(logs);
  return logs.argmax(-1).item<long>();
}

long record_given_ok(Actor actor, torch::Tensor state, Log &log) {
  auto logs = actor(state);
  log.given.push_back(logs);
  return logs.argmax(-1).item<long>();
}

long record_handed_ok(Actor actor, torch::Tensor state, Log &log) {
  auto logs = actor(state);
  log.handed.push_back(logs);
  return logs.argmax(-1).item<long>();
}

torch::Tensor given_ok(Log &log) {
  auto numbers = torch::stack(log.given).detach();
  return torch::stack(log.given);
}

void handed_ok(Log &log) {
  auto numbers = torch::stack(log.handed).detach();
  learn(log.handed);
}
