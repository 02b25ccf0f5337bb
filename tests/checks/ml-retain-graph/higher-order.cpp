// Gradients of gradients.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using Optimizer = torch::optim::Optimizer;

void gradient_penalty_ok(Net critic, Optimizer &optimizer, torch::Tensor real, torch::Tensor fake) {
  for (int i = 0; i < 100; ++i) {
    auto mixed = (real * 0.5 + fake * 0.5).requires_grad_();
    auto score = critic(mixed);
    auto gradient =
        torch::autograd::grad({score}, {mixed}, {torch::ones_like(score)}, true, true)[0];
    auto penalty = (gradient.norm(2, {1}) - 1).pow(2).mean();
    optimizer.zero_grad();
    (critic(fake).mean() - critic(real).mean() + penalty * 10).backward();
    optimizer.step();
  }
}

// The penalty goes through the graph of the input's gradient.
void penalty_on_the_gradient_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    auto input = x.detach().clone().requires_grad_();
    auto loss = torch::mse_loss(net(input), y);
    optimizer.zero_grad();
    loss.backward({}, true, true);
    auto penalty = input.grad().pow(2).sum();
    penalty.backward();
    optimizer.step();
  }
}

void gradient_after_the_backward_ok(Net net, Optimizer &optimizer, torch::Tensor x,
                                    torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    auto input = x.detach().clone().requires_grad_();
    auto loss = torch::mse_loss(net(input), y);
    optimizer.zero_grad();
    loss.backward({}, true);
    auto sensitivity = torch::autograd::grad({loss}, {input})[0];
    optimizer.step();
  }
}

// Derivatives of the output as part of the loss.
void physics_informed_ok(Net net, Optimizer &optimizer, torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    auto position = x.detach().clone().requires_grad_();
    auto u = net(position);
    auto ones = torch::ones_like(u);
    auto du = torch::autograd::grad({u}, {position}, {ones}, true, true)[0];
    auto ddu = torch::autograd::grad({du}, {position}, {torch::ones_like(du)}, true, true)[0];
    optimizer.zero_grad();
    (ddu + u).pow(2).mean().backward();
    optimizer.step();
  }
}

// The loss of the next step is another graph.
void curvature_without_use_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward({}, true, true); // expect: ml-retain-graph
    auto norm = net->weight.grad().norm().item<double>();
    optimizer.step();
  }
}

class Reporter {
public:
  void backward(std::vector<int> pages, bool keep);
};
void lookalike_ok(Reporter &reporter) {
  for (int i = 0; i < 100; ++i)
    reporter.backward({}, true);
}
