// A step changes the weights through which another loss has gone: its backward throws.
#include <torch/torch.h>

using torch::Tensor;

void critic_bad(torch::nn::Sequential policy, torch::nn::Sequential critic, Tensor s, Tensor y) {
  torch::optim::SGD policySteps(policy->parameters(), 0.1);
  torch::optim::SGD criticSteps(critic->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    auto criticLoss = torch::mse_loss(critic->forward(s), y);
    auto policyLoss = -critic->forward(policy->forward(s)).mean();
    criticSteps.zero_grad();
    criticLoss.backward();
    criticSteps.step(); // expect: ml-saved-tensor-overwritten (no fix)
    policySteps.zero_grad();
    policyLoss.backward();
    policySteps.step();
  }
}

void inOrder_ok(torch::nn::Sequential policy, torch::nn::Sequential critic, Tensor s, Tensor y) {
  torch::optim::SGD policySteps(policy->parameters(), 0.1);
  torch::optim::SGD criticSteps(critic->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    auto criticLoss = torch::mse_loss(critic->forward(s), y);
    criticSteps.zero_grad();
    criticLoss.backward();
    criticSteps.step();
    auto policyLoss = -critic->forward(policy->forward(s)).mean();
    policySteps.zero_grad();
    policyLoss.backward();
    policySteps.step();
  }
}

void bothFirst_ok(torch::nn::Sequential policy, torch::nn::Sequential critic, Tensor s, Tensor y) {
  torch::optim::SGD policySteps(policy->parameters(), 0.1);
  torch::optim::SGD criticSteps(critic->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    auto criticLoss = torch::mse_loss(critic->forward(s), y);
    auto policyLoss = -critic->forward(policy->forward(s)).mean();
    policySteps.zero_grad();
    policyLoss.backward();
    criticSteps.zero_grad();
    criticLoss.backward();
    criticSteps.step();
    policySteps.step();
  }
}

// One layer needs its weights for the gradient of its input alone, and here nobody asks for that.
void firstLayer_ok(torch::nn::Linear a, torch::nn::Linear b, Tensor x) {
  torch::optim::SGD aSteps(a->parameters(), 0.1), bSteps(b->parameters(), 0.1);
  auto one = a->forward(x).mean(), other = a->forward(x).sum();
  one.backward();
  aSteps.step();
  other.backward();
  bSteps.step();
}

void detached_ok(torch::nn::Linear policy, torch::nn::Linear critic, Tensor s) {
  torch::optim::SGD criticSteps(critic->parameters(), 0.1);
  torch::optim::SGD policySteps(policy->parameters(), 0.1);
  auto action = policy->forward(s);
  auto value = critic->forward(action.detach()).mean();
  auto loss = -(action * value.detach()).mean();
  value.backward();
  criticSteps.step();
  loss.backward();
  policySteps.step();
}

// What the constructor gives its optimizers, methods step.
class Agent {
public:
  Agent()
      : policy(torch::nn::Linear(4, 8), torch::nn::Linear(8, 2)),
        critic(torch::nn::Linear(2, 8), torch::nn::Linear(8, 1)),
        policySteps(policy->parameters(), 0.1), criticSteps(critic->parameters(), 0.1) {}

  void update_bad(Tensor s, Tensor a, Tensor y) {
    auto criticLoss = torch::mse_loss(critic->forward(a), y);
    auto policyLoss = -critic->forward(policy->forward(s)).mean();
    criticSteps.zero_grad();
    criticLoss.backward();
    criticSteps.step(); // expect: ml-saved-tensor-overwritten (no fix)
    policySteps.zero_grad();
    policyLoss.backward();
    policySteps.step();
  }

  void update_ok(Tensor s) {
    policySteps.zero_grad();
    auto policyLoss = -critic->forward(policy->forward(s)).mean();
    criticSteps.zero_grad();
    policyLoss.backward();
    policySteps.step();
  }

private:
  torch::nn::Sequential policy, critic;
  torch::optim::SGD policySteps, criticSteps;
};
