// Methods that give others what is detached: actions of a network that is trained, and targets of
// one that is not.
#include <torch/torch.h>

struct ActorImpl : torch::nn::Module {
  ActorImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 16));
    head = register_module("head", torch::nn::Linear(16, 2));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(hidden(x))); }
  torch::nn::Linear hidden{nullptr}, head{nullptr};
};
TORCH_MODULE(Actor);

class Agent {
public:
  Agent() : optimizer(actor->parameters(), 0.1) {}

  torch::Tensor choose_bad(torch::Tensor x) {
    return actor->forward(x).detach(); // expect: ml-missing-no-grad (level 1)
  }

  torch::Tensor computeTargets(torch::Tensor x) {
    return target->forward(x).detach(); // expect: ml-missing-no-grad (level 2)
  }

  torch::Tensor choose_ok(torch::Tensor x) {
    torch::NoGradGuard noGrad;
    return actor->forward(x).detach();
  }

  void learn(torch::Tensor x) {
    auto loss = (actor->forward(x) - computeTargets(x)).pow(2).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }

private:
  Actor actor, target;
  torch::optim::Adam optimizer;
};
