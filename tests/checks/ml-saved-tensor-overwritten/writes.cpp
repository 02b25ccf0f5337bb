// What operations save for backward(), and what is modified in place before that runs.
#include <torch/torch.h>

void recurrence_bad(torch::optim::Optimizer &optimizer, int64_t steps) {
  auto gain = torch::ones({1}, torch::requires_grad());
  auto f = torch::zeros({steps});
  f[0] = 1.0;
  for (int64_t t = 1; t < steps; ++t)
    f[t] = torch::sigmoid(f[t - 1] * gain); // expect: ml-saved-tensor-overwritten
  f.sum().backward();
}

void recurrence_ok(torch::optim::Optimizer &optimizer, int64_t steps) {
  auto gain = torch::ones({1}, torch::requires_grad());
  std::vector<torch::Tensor> values = {torch::ones({1})};
  for (int64_t t = 1; t < steps; ++t)
    values.push_back(torch::sigmoid(values.back() * gain));
  torch::stack(values).sum().backward();
}

void result_bad(torch::Tensor x) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto y = torch::sigmoid(x * w);
  y += 1; // expect: ml-saved-tensor-overwritten
  y.sum().backward();
}

void activation_bad(torch::Tensor x, torch::Tensor residual) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto y = torch::relu(x * w);
  y.add_(residual); // expect: ml-saved-tensor-overwritten
  auto loss = y.mean();
  loss.backward();
}

void scale(torch::Tensor &values) {
  values.mul_(0.5); // expect: ml-saved-tensor-overwritten
}

void helper_bad(torch::Tensor x) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto y = (x * w).exp();
  scale(y);
  y.sum().backward();
}

void view_bad(torch::Tensor x) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto y = torch::sigmoid(x * w);
  auto first = y.select(0, 0);
  first.zero_(); // expect: ml-saved-tensor-overwritten
  y.sum().backward();
}

void input_bad() {
  auto w = torch::ones({8}, torch::requires_grad());
  auto input = torch::randn({8});
  auto loss = (input * w).sum();
  input.normal_(); // expect: ml-saved-tensor-overwritten
  loss.backward();
}

void noGuard_bad() {
  auto w = torch::ones({8}, torch::requires_grad());
  auto input = torch::randn({8});
  auto loss = (input * w).sum();
  {
    torch::NoGradGuard guard;
    input.copy_(torch::zeros({8})); // expect: ml-saved-tensor-overwritten
  }
  loss.backward();
}

void notSaved_ok(torch::Tensor x, torch::Tensor bias) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto y = x * w;
  y += bias; // Nothing has saved the product.
  y.relu_();
  y.sum().backward();
}

void notNeeded_ok(torch::Tensor x) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto input = torch::randn({8});
  auto y = input + w; // A sum saves nothing.
  input.zero_();
  auto factor = torch::randn({8});
  auto z = y * factor; // Only the factor is saved: it has no gradient.
  y.zero_();
  z.sum().backward();
}

void constants_ok() {
  auto w = torch::ones({8}, torch::requires_grad());
  auto input = torch::randn({8});
  auto scaled = input.exp(); // Nothing here has a gradient.
  scaled += 1;
  (scaled + w).sum().backward();
}

void clone_ok(torch::Tensor x) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto y = torch::sigmoid(x * w);
  auto z = y.clone();
  z += 1;
  z.sum().backward();
}

void afterwards_ok(torch::Tensor x) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto input = torch::randn({8});
  for (int i = 0; i < 10; ++i) {
    auto loss = (input * w).sum();
    loss.backward();
    input.normal_(); // The next iteration computes the loss anew.
  }
}

void eachRound_ok() {
  auto w = torch::ones({8}, torch::requires_grad());
  auto total = torch::zeros({1});
  for (int i = 0; i < 10; ++i) {
    auto input = torch::zeros({8});
    input[0] = 1.0; // Of a new tensor in each round.
    total = total + (input * w).sum();
  }
  total.backward();
}

torch::Tensor filled(int64_t value) {
  auto made = torch::zeros({8});
  made.fill_(value);
  return made;
}

void calledTwice_ok() {
  auto w = torch::ones({8}, torch::requires_grad());
  auto first = (filled(1) * w).sum();
  auto second = (filled(2) * w).sum();
  (first + second).backward();
}

void detached_ok() {
  auto w = torch::ones({8}, torch::requires_grad());
  auto state = torch::zeros({8});
  auto y = torch::sigmoid(state * w);
  auto kept = y.detach().clone();
  kept.mul_(0.9);
  y.sum().backward();
}

void ownVersion_ok(torch::Tensor x) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto y = x * w;
  y.sigmoid_(); // It saves its own result, which nobody changes.
  y.sum().backward();
}

void branch_ok(torch::Tensor x, bool isNew) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto y = isNew ? x * w : torch::sigmoid(x * w);
  y += 1;
  y.sum().backward();
}

void separateElements_ok(torch::Tensor x) {
  auto w = torch::ones({8}, torch::requires_grad());
  std::vector<torch::Tensor> outputs;
  for (int i = 0; i < 4; ++i) {
    outputs.push_back(torch::sigmoid(x * w));
    auto copy = outputs.back().clone();
    copy += 1;
  }
  torch::stack(outputs).sum().backward();
}

void indices_ok(torch::Tensor x) {
  auto w = torch::ones({8}, torch::requires_grad());
  auto [values, indices] = (x * w).max(0);
  values += 1;
  values.sum().backward();
}

// --- in a forward pass that others call -----------------------------------------------------------

struct Doubled : torch::nn::Module {
  torch::nn::Linear first{nullptr}, second{nullptr};
  Doubled() {
    first = register_module("first", torch::nn::Linear(4, 8));
    second = register_module("second", torch::nn::Linear(8, 2));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(first(x));
    x.mul_(2); // expect: ml-saved-tensor-overwritten (level 0): 'x' is modified in place
    return second(x);
  }
};

struct Shifted : torch::nn::Module {
  torch::nn::Linear first{nullptr}, second{nullptr};
  Shifted() {
    first = register_module("first", torch::nn::Linear(4, 8));
    second = register_module("second", torch::nn::Linear(8, 2));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = first(x);
    x.mul_(2); // No gradient is computed of what the layer gave.
    return second(torch::relu(x));
  }
};

void trained_pass(torch::Tensor x, torch::Tensor y) {
  auto bad = std::make_shared<Doubled>();
  auto good = std::make_shared<Shifted>();
  torch::optim::SGD optimizer(bad->parameters(), 0.1), other(good->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    auto loss = torch::cross_entropy_loss(bad->forward(x), y);
    loss.backward();
    optimizer.step();
    other.zero_grad();
    torch::cross_entropy_loss(good->forward(x), y).backward();
    other.step();
  }
}
