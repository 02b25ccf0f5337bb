// What an agent computes while it plays, and what becomes of it when it learns.
#include <torch/torch.h>

struct ActorImpl : torch::nn::Module {
  ActorImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 16));
    head = register_module("head", torch::nn::Linear(16, 2));
  }
  torch::Tensor forward(torch::Tensor x) {
    return torch::softmax(head(torch::relu(hidden(x))), -1);
  }
  torch::nn::Linear hidden{nullptr}, head{nullptr};
};
TORCH_MODULE(Actor);

struct CriticImpl : torch::nn::Module {
  CriticImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 16));
    head = register_module("head", torch::nn::Linear(16, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(hidden(x))); }
  torch::nn::Linear hidden{nullptr}, head{nullptr};
};
TORCH_MODULE(Critic);

// The old probabilities are detached before the ratio is taken: each step's graph waits in vain.
class Proximal_bad {
public:
  Proximal_bad() : optimizer(actor->parameters(), 0.1) {}

  int64_t act(torch::Tensor state) {
    auto probabilities = actor(state); // expect: ml-missing-no-grad
    auto action = probabilities.multinomial(1);
    states.push_back(state);
    actions.push_back(action);
    logs.push_back(torch::log(probabilities.gather(-1, action)));
    return action.item<int64_t>();
  }

  void learn(torch::Tensor advantages) {
    auto seen = torch::stack(states).detach();
    auto done = torch::stack(actions).detach();
    auto before = torch::stack(logs).detach();
    for (int i = 0; i < 4; ++i) {
      auto ratios = torch::exp(torch::log(actor(seen).gather(-1, done)) - before);
      optimizer.zero_grad();
      (-ratios * advantages).mean().backward();
      optimizer.step();
    }
    states.clear();
    actions.clear();
    logs.clear();
  }

private:
  Actor actor;
  torch::optim::Adam optimizer;
  std::vector<torch::Tensor> states, actions, logs;
};

class Proximal_ok {
public:
  Proximal_ok() : optimizer(actor->parameters(), 0.1) {}

  int64_t act(torch::Tensor state) {
    torch::NoGradGuard noGrad;
    auto probabilities = actor(state);
    auto action = probabilities.multinomial(1);
    states.push_back(state);
    actions.push_back(action);
    logs.push_back(torch::log(probabilities.gather(-1, action)));
    return action.item<int64_t>();
  }

  void learn(torch::Tensor advantages) {
    auto seen = torch::stack(states);
    auto done = torch::stack(actions);
    auto before = torch::stack(logs);
    for (int i = 0; i < 4; ++i) {
      auto ratios = torch::exp(torch::log(actor(seen).gather(-1, done)) - before);
      optimizer.zero_grad();
      (-ratios * advantages).mean().backward();
      optimizer.step();
    }
    states.clear();
    actions.clear();
    logs.clear();
  }

private:
  Actor actor;
  torch::optim::Adam optimizer;
  std::vector<torch::Tensor> states, actions, logs;
};

// REINFORCE differentiates what it has stored.
class Reinforce_ok {
public:
  Reinforce_ok() : optimizer(actor->parameters(), 0.1) {}

  int64_t act(torch::Tensor state) {
    auto probabilities = actor(state);
    auto action = probabilities.multinomial(1);
    logs.push_back(torch::log(probabilities.gather(-1, action)));
    return action.item<int64_t>();
  }

  void learn(torch::Tensor returns) {
    auto loss = -(torch::stack(logs) * returns).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    logs.clear();
  }

private:
  Actor actor;
  torch::optim::Adam optimizer;
  std::vector<torch::Tensor> logs;
};

// Of the values stored the advantage needs numbers only, the loss of the critic more.
class ActorCritic_ok {
public:
  ActorCritic_ok() : first(actor->parameters(), 0.1), second(critic->parameters(), 0.1) {}

  int64_t act(torch::Tensor state) {
    auto probabilities = actor(state);
    auto action = probabilities.multinomial(1);
    logs.push_back(torch::log(probabilities.gather(-1, action)));
    values.push_back(critic(state));
    return action.item<int64_t>();
  }

  void learn(torch::Tensor returns) {
    auto value = torch::stack(values);
    auto advantage = returns - value.detach();
    first.zero_grad();
    (-torch::stack(logs) * advantage).mean().backward();
    first.step();
    second.zero_grad();
    torch::mse_loss(value, returns).backward();
    second.step();
  }

private:
  Actor actor;
  Critic critic;
  torch::optim::Adam first, second;
  std::vector<torch::Tensor> logs, values;
};

// Only the numbers of the value at the end of an episode are used.
class Bootstrap_bad {
public:
  void close(torch::Tensor state) {
    auto value = critic(state); // expect: ml-missing-no-grad
    auto number = value.detach();
    rewards.back() = rewards.back() + 0.9 * number;
  }

private:
  Critic critic;
  std::vector<torch::Tensor> rewards;
};

class Bootstrap_ok {
public:
  void close(torch::Tensor state) {
    torch::NoGradGuard noGrad;
    auto value = critic(state);
    rewards.back() = rewards.back() + 0.9 * value;
  }

private:
  Critic critic;
  std::vector<torch::Tensor> rewards;
};

// The graph of the first pass lives through all rounds.
void baseline_bad(Critic critic, torch::optim::Optimizer &optimizer, torch::Tensor states,
                  torch::Tensor returns) {
  auto before = critic(states); // expect: ml-missing-no-grad (no fix)
  before = before.squeeze();
  for (int i = 0; i < 4; ++i) {
    auto value = critic(states);
    auto clipped = before.detach() + (value - before.detach()).clamp(-0.2, 0.2);
    optimizer.zero_grad();
    torch::mse_loss(clipped, returns).backward();
    optimizer.step();
  }
}

void baseline_ok(Critic critic, torch::optim::Optimizer &optimizer, torch::Tensor states,
                 torch::Tensor returns) {
  torch::Tensor before;
  {
    torch::NoGradGuard noGrad;
    before = critic(states).squeeze();
  }
  for (int i = 0; i < 4; ++i) {
    auto value = critic(states);
    auto clipped = before + (value - before).clamp(-0.2, 0.2);
    optimizer.zero_grad();
    torch::mse_loss(clipped, returns).backward();
    optimizer.step();
  }
}

// In the first round the loss goes through it.
void first_round_ok(Critic critic, torch::optim::Optimizer &optimizer, torch::Tensor states,
                    torch::Tensor returns) {
  auto value = critic(states);
  auto before = value.detach();
  for (int i = 0; i < 4; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(before + (value - before).clamp(-0.2, 0.2), returns).backward();
    optimizer.step();
    value = critic(states);
  }
}

// What others do with what it gives, it leaves to them.
torch::Tensor target_advice(Critic target, torch::Tensor next) {
  return target(next).detach(); // expect: ml-missing-no-grad (level 2)
}

// A penalty on the gradient of the input needs the graph of the critic.
void penalty_ok(Critic critic, torch::optim::Optimizer &optimizer, torch::Tensor real,
                torch::Tensor fake) {
  auto mixed = (0.5 * real + 0.5 * fake).detach().set_requires_grad(true);
  auto score = critic(mixed);
  auto gradient = torch::autograd::grad({score.sum()}, {mixed}, {}, true, true)[0];
  auto distance = score.detach().mean().item<double>();
  optimizer.zero_grad();
  (gradient.norm() - 1).pow(2).mean().backward();
  optimizer.step();
}

// The map shows what the score depends on.
torch::Tensor saliency_ok(Critic critic, torch::Tensor image) {
  auto input = image.detach().set_requires_grad(true);
  auto score = critic(input).squeeze();
  auto shown = score.detach();
  score.backward();
  return input.grad() * shown;
}
