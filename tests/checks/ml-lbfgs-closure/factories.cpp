// Closures that functions make, and losses without a module.
#include <torch/torch.h>

#include <functional>

using Closure = std::function<torch::Tensor()>;
using Parameters = std::vector<torch::Tensor>;

static torch::Tensor leaf() { return torch::ones({4}, torch::requires_grad()); }

template <typename Loss> Closure closureOf(torch::optim::Optimizer &optimizer, Loss loss) {
  return [&optimizer, loss] {
    optimizer.zero_grad();
    auto value = loss();
    value.backward();
    return value;
  };
}

void clears_ok(torch::Tensor y) {
  auto x = leaf();
  torch::optim::LBFGS optimizer(Parameters{x});
  auto closure = closureOf(optimizer, [&] { return torch::mse_loss(x, y); });
  for (int i = 0; i < 10; ++i)
    optimizer.step(closure);
}

Closure adding(torch::Tensor x, torch::Tensor y) {
  return [x, y] { // expect: ml-lbfgs-closure: the closure does not clear the gradients
    auto value = torch::mse_loss(x, y);
    value.backward();
    return value;
  };
}

void adds_bad(torch::Tensor y) {
  auto x = leaf();
  torch::optim::LBFGS optimizer(Parameters{x});
  optimizer.step(adding(x, y));
}

// Each closure has an optimizer of its own.
void several_ok(torch::Tensor y) {
  auto x = leaf(), z = leaf();
  torch::optim::LBFGS first(Parameters{x}), second(Parameters{z});
  auto one = closureOf(first, [&] { return torch::mse_loss(x, y); });
  auto other = closureOf(second, [&] { return torch::mse_loss(z, y); });
  first.step(one);
  second.step(other);
}

void outside_bad(torch::Tensor y) {
  auto x = leaf();
  torch::optim::LBFGS optimizer(Parameters{x});
  for (int i = 0; i < 10; ++i) {
    auto loss = torch::mse_loss(x.exp(), y); // note: computed here
    auto closure = [&] {
      optimizer.zero_grad();
      loss.backward(); // expect: ml-lbfgs-closure: this loss is computed once
      return loss;
    };
    optimizer.step(closure); // note: calls the closure
  }
}

// A part of the loss, of which the graph keeps nothing.
void part_ok(torch::Tensor y) {
  auto x = leaf();
  torch::optim::LBFGS optimizer(Parameters{x});
  auto moved = x + 1;
  optimizer.step([&] {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(moved, y);
    loss.backward();
    return loss;
  });
}

// Nothing of the graph is kept that a backward would free.
void features_ok(torch::Tensor y, torch::Tensor image) {
  auto x = leaf();
  torch::optim::LBFGS optimizer(Parameters{x});
  auto features = image.exp();
  optimizer.step([&] {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(x * features, y);
    loss.backward();
    return loss;
  });
}
