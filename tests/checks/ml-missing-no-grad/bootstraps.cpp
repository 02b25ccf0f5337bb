// The value behind the last step of a rollout, of which advantages are computed under a guard.
#include <torch/torch.h>

struct CriticImpl : torch::nn::Module {
  CriticImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 16));
    head = register_module("head", torch::nn::Linear(16, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(hidden(x))); }
  torch::nn::Linear hidden{nullptr}, head{nullptr};
};
TORCH_MODULE(Critic);

class Learner {
public:
  Learner() : optimizer(critic->parameters(), 0.1) {}

  void computeAdvantages_bad() {
    last = critic(observation).reshape({1, -1}); // expect: ml-missing-no-grad
    torch::NoGradGuard noGrad;
    advantages = rewards + 0.9 * last - values;
  }

  void computeAdvantages_ok() {
    torch::NoGradGuard noGrad;
    lastOk = critic(observation).reshape({1, -1});
    advantages = rewards + 0.9 * lastOk - values;
  }

  // The guard is left before the loss is taken.
  void computeLoss_ok() {
    auto predicted = critic(observation);
    {
      torch::NoGradGuard noGrad;
      error = (predicted - values).abs();
    }
    optimizer.zero_grad();
    (predicted * error).mean().backward();
    optimizer.step();
  }

  void learn() {
    for (int i = 0; i < 4; ++i) {
      auto loss = (critic(observations) - advantages).pow(2).mean();
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }
  }

private:
  Critic critic;
  torch::optim::Adam optimizer;
  torch::Tensor observation, observations, last, lastOk, advantages, rewards, values, error;
};
