// What is detached before every backward has been recorded for nothing.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { linear = register_module("linear", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return linear(x); }
  torch::nn::Linear linear{nullptr};
};
TORCH_MODULE(Net);
using Optimizer = torch::optim::Optimizer;

void target_bad(Net net, Net target, Optimizer &optimizer, torch::Tensor x, torch::Tensor next) {
  auto expected = target(next).detach(); // expect: ml-missing-no-grad (no fix) (level 2)
  optimizer.zero_grad();
  torch::mse_loss(net(x), expected).backward();
  optimizer.step();
}

void target_ok(Net net, Net target, Optimizer &optimizer, torch::Tensor x, torch::Tensor next) {
  torch::Tensor expected;
  {
    torch::NoGradGuard noGrad;
    expected = target(next);
  }
  optimizer.zero_grad();
  torch::mse_loss(net(x), expected).backward();
  optimizer.step();
}

void frozen_ok(Net net, Net target, Optimizer &optimizer, torch::Tensor x, torch::Tensor next) {
  for (auto &parameter : target->parameters())
    parameter.set_requires_grad(false);
  auto expected = target(next).detach();
  optimizer.zero_grad();
  torch::mse_loss(net(x), expected).backward();
  optimizer.step();
}

// The same samples serve both networks.
void both_ok(Net generator, Net discriminator, Optimizer &first, Optimizer &second,
             torch::Tensor noise) {
  auto fake = generator(noise);
  second.zero_grad();
  discriminator(fake.detach()).mean().backward();
  second.step();
  first.zero_grad();
  discriminator(fake).mean().backward();
  first.step();
}

// The critic is trained more often than the generator.
void critic_bad(Net generator, Net critic, Optimizer &first, Optimizer &second,
                torch::Tensor noise) {
  for (int i = 0; i < 5; ++i) {
    auto fake = generator(noise).detach(); // expect: ml-missing-no-grad (no fix) (level 2)
    second.zero_grad();
    critic(fake).mean().backward();
    second.step();
  }
  first.zero_grad();
  critic(generator(noise)).mean().backward();
  first.step();
}

// The advantage is detached, the value is not.
void advantage_ok(Net actor, Net critic, Optimizer &optimizer, torch::Tensor x,
                  torch::Tensor reward) {
  auto value = critic(x);
  auto advantage = (reward - value).detach();
  optimizer.zero_grad();
  ((actor(x) * advantage).mean() + torch::mse_loss(value, reward)).backward();
  optimizer.step();
}

// Carried from window to window, and differentiated within each.
void carried_ok(Net net, Optimizer &optimizer, torch::Tensor x) {
  auto state = torch::zeros({1, 4});
  for (int i = 0; i < 10; ++i) {
    state = net(x + state.detach());
    optimizer.zero_grad();
    state.mean().backward();
    optimizer.step();
  }
}

void kept_ok(Net net, Optimizer &optimizer, torch::Tensor x) {
  std::vector<torch::Tensor> outputs, numbers;
  for (int i = 0; i < 10; ++i) {
    outputs.push_back(net(x));
    numbers.push_back(outputs.back().detach());
  }
  optimizer.zero_grad();
  (torch::stack(outputs) - torch::stack(numbers).mean()).mean().backward();
  optimizer.step();
}
