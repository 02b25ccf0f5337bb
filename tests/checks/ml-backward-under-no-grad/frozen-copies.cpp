// What is done to a copy of a module does not reach the original.
#include <torch/torch.h>

using torch::Tensor;

class CriticImpl : public torch::nn::Cloneable<CriticImpl> {
public:
  CriticImpl() { reset(); }
  void reset() { value = register_module("value", torch::nn::Linear(4, 1)); }
  Tensor forward(const Tensor &state) { return value->forward(state); }

private:
  torch::nn::Linear value{nullptr};
};
TORCH_MODULE(Critic);

void target_of_its_own_ok(Tensor state) {
  Critic critic;
  auto target = std::dynamic_pointer_cast<CriticImpl>(critic->clone());
  for (Tensor &parameter : target->parameters())
    parameter.requires_grad_(false);
  torch::optim::SGD optimizer(critic->parameters(), 0.01);
  for (int step = 0; step < 10; ++step) {
    Tensor wanted;
    {
      torch::NoGradGuard guard;
      wanted = target->forward(state);
    }
    Tensor loss = torch::mse_loss(critic->forward(state), wanted);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void trained_copy_bad(Tensor state) {
  Critic critic;
  auto copy = std::dynamic_pointer_cast<CriticImpl>(critic->clone());
  torch::optim::SGD optimizer(copy->parameters(), 0.01);
  for (int step = 0; step < 10; ++step) {
    torch::NoGradGuard guard;
    Tensor loss = copy->forward(state).mean();
    optimizer.zero_grad();
    loss.backward(); // expect: ml-backward-under-no-grad
    optimizer.step();
  }
}
