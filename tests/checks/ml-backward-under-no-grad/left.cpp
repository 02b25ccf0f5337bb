// Switched off by hand on some way through a loop, and never on again.
#include <torch/torch.h>

using Net = torch::nn::Sequential;
using Optimizer = torch::optim::Optimizer;
using torch::Tensor;

void copy(Net &from, Net &to) {
  torch::GradMode::set_enabled(false); // expect: ml-backward-under-no-grad (no fix): never enabled again
  auto source = from->parameters(), target = to->parameters();
  for (size_t i = 0; i < source.size(); ++i)
    target[i].copy_(source[i]);
}

Tensor learn(Net &online, Net &target, Optimizer &optimizer, Tensor x) {
  auto wanted = target->forward(x).detach();
  auto loss = torch::mse_loss(online->forward(x), wanted);
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
  return loss;
}

void now_and_then_bad(Net online, Net target, Optimizer &optimizer, Tensor x) {
  for (int i = 1; i <= 10000; ++i) {
    if (x.size(0) >= 100)
      auto loss = learn(online, target, optimizer, x);
    if (i % 1000 == 0)
      copy(online, target);
  }
}

void here_bad(Net net, Optimizer &optimizer, Tensor x, Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    auto loss = torch::mse_loss(net->forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (epoch % 2 == 1) {
      torch::GradMode::set_enabled(false); // expect: ml-backward-under-no-grad (no fix): never enabled again
      auto validation = torch::mse_loss(net->forward(x), y).item<double>();
    }
  }
}

void on_again_ok(Net net, Optimizer &optimizer, Tensor x, Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    torch::GradMode::set_enabled(true);
    auto loss = torch::mse_loss(net->forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (epoch % 2 == 1)
      torch::GradMode::set_enabled(false);
  }
}

// Whoever asks for the one does not ask for the other.
void by_option_ok(Net net, Optimizer &optimizer, Tensor x, Tensor y, bool evaluates, bool trains) {
  if (evaluates)
    torch::GradMode::set_enabled(false);
  for (int epoch = 0; epoch < 10 && trains; ++epoch) {
    auto loss = torch::mse_loss(net->forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void last_epochs_ok(Net net, Optimizer &optimizer, Tensor x, Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    if (epoch < 9) {
      auto loss = torch::mse_loss(net->forward(x), y);
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    } else {
      torch::GradMode::set_enabled(false);
      auto validation = torch::mse_loss(net->forward(x), y).item<double>();
    }
  }
}
