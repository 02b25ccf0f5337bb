// Leaves that are changed in place by their gradients.
#include <torch/torch.h>

using Net = torch::nn::Linear;

torch::Tensor lossOf(const torch::Tensor &x, const torch::Tensor &w) { return (x * w).mean(); }

void subtracted_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossOf(x, w).backward();
    w -= 0.1 * w.grad(); // expect: ml-manual-update-graph: 'w' is changed in place while
    w.mutable_grad().reset();
  }
}

void sub_bad(torch::Tensor x) {
  auto w = torch::zeros({4}, torch::TensorOptions().requires_grad(true));
  for (int i = 0; i < 100; ++i) {
    lossOf(x, w).backward();
    w.sub_(0.1 * w.grad()); // expect: ml-manual-update-graph: this throws
    w.grad().zero_();
  }
}

void add_bad(torch::Tensor x) {
  auto w = torch::zeros({4});
  w.set_requires_grad(true);
  lossOf(x, w).backward();
  w.add_(w.grad(), -0.1); // expect: ml-manual-update-graph: 'w' is changed in place
}

void plus_bad(torch::Tensor x) {
  auto w = torch::randn({4}, torch::requires_grad());
  lossOf(x, w).backward();
  w += w.grad() * -0.1; // expect: ml-manual-update-graph: 'w' is changed in place
}

void copied_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  lossOf(x, w).backward();
  w.copy_(w - 0.1 * w.grad()); // expect: ml-manual-update-graph: 'w' is changed in place
}

// One statement is all that the loop has: the block takes its place.
void parameters_bad(Net net, torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    net(x).mean().backward();
    for (auto &p : net->parameters())
      p -= 0.1 * p.grad(); // expect: ml-manual-update-graph: 'p' is changed in place
  }
}

void by_value_bad(Net net, torch::Tensor x) {
  net(x).mean().backward();
  for (auto p : net->parameters()) {
    if (p.grad().defined())
      p.sub_(p.grad() * 0.1); // expect: ml-manual-update-graph: 'p' is changed in place
  }
}

void named_bad(Net net, torch::Tensor x) {
  net(x).mean().backward();
  for (auto &item : net->named_parameters()) {
    auto &p = item.value();
    p.add_(p.grad(), -0.1); // expect: ml-manual-update-graph: 'p' is changed in place
  }
}

void weight_bad(Net net, torch::Tensor x) {
  net(x).mean().backward();
  net->weight -= 0.1 * net->weight.grad(); // expect: ml-manual-update-graph: is changed in place
  net->bias.sub_(0.1 * net->bias.grad());  // expect: ml-manual-update-graph: is changed in place
}

struct Scale : torch::nn::Module {
  Scale() {
    factor = register_parameter("factor", torch::ones({4}));
    shift = register_parameter("shift", torch::zeros({4}), /*requires_grad=*/false);
  }
  void step_bad(torch::Tensor x) {
    (x * factor + shift).mean().backward();
    factor -= 0.1 * factor.grad(); // expect: ml-manual-update-graph: 'factor' is changed in place
    factor.mutable_grad().reset();
  }
  void frozen_ok(torch::Tensor x) {
    (x * factor + shift).mean().backward();
    shift -= 0.1 * factor.grad();
  }
  void guarded_ok(torch::Tensor x) {
    (x * factor + shift).mean().backward();
    torch::NoGradGuard guard;
    factor -= 0.1 * factor.grad();
  }
  torch::Tensor factor, shift;
};

void through_a_variable_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  lossOf(x, w).backward();
  auto gradient = w.grad();
  w -= 0.1 * gradient; // expect: ml-manual-update-graph: 'w' is changed in place
}

void momentum_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  auto velocity = torch::zeros({4});
  for (int i = 0; i < 100; ++i) {
    lossOf(x, w).backward();
    velocity = 0.9 * velocity + w.grad();
    w -= 0.1 * velocity; // expect: ml-manual-update-graph: 'w' is changed in place
    w.grad().zero_();
  }
}

// The value of the change is used: a block has none.
void result_used_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  lossOf(x, w).backward();
  auto size = w.sub_(0.1 * w.grad()).norm(); // expect: ml-manual-update-graph (no fix): in place
  size.print();
}

// What is computed of a leaf is none.
void computed_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  auto copy = w.clone();
  copy -= 0.1 * x;
  auto other = w.reshape({2, 2}).clone();
  other.mul_(2);
  auto moved = w.to(torch::kDouble);
  moved.add_(1);
  (copy.sum() + other.sum() + moved.sum()).backward();
}

// ---- guards

void guard_over_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  lossOf(x, w).backward();
  {
    torch::NoGradGuard guard;
    w.grad().clamp_(-1, 1);
  }
  w -= 0.1 * w.grad(); // expect: ml-manual-update-graph: 'w' is changed in place
}

void guard_unnamed_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  lossOf(x, w).backward();
  torch::NoGradGuard();
  w -= 0.1 * w.grad(); // expect: ml-manual-update-graph: 'w' is changed in place
}

void enabled_guard_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  torch::AutoGradMode guard(true);
  lossOf(x, w).backward();
  w -= 0.1 * w.grad(); // expect: ml-manual-update-graph: 'w' is changed in place
}

void stepUnguarded(Net &net) {
  for (auto &p : net->parameters())
    p.sub_(0.1 * p.grad()); // expect: ml-manual-update-graph: 'p' is changed in place
}
void helper_bad(torch::Tensor x) {
  Net net(4, 1);
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    net(x).mean().backward();
    stepUnguarded(net);
  }
}

void guard_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossOf(x, w).backward();
    torch::NoGradGuard guard;
    w -= 0.1 * w.grad();
    w.grad().zero_();
  }
}

void guard_block_ok(Net net, torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    net(x).mean().backward();
    {
      torch::NoGradGuard no_grad{};
      for (auto &p : net->parameters())
        p.sub_(0.1 * p.grad());
    }
  }
}

void guard_in_the_loop_ok(Net net, torch::Tensor x) {
  net(x).mean().backward();
  for (auto &p : net->parameters()) {
    const auto guard = torch::NoGradGuard();
    p -= 0.1 * p.grad();
  }
}

void inference_mode_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  lossOf(x, w).backward();
  c10::InferenceMode guard;
  w -= 0.1 * w.grad();
}

void disabled_guard_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  lossOf(x, w).backward();
  torch::AutoGradMode guard(false);
  w -= 0.1 * w.grad();
}

void disabled_by_hand_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossOf(x, w).backward();
    c10::GradMode::set_enabled(false);
    w -= 0.1 * w.grad();
    w.grad().zero_();
    c10::GradMode::set_enabled(true);
  }
}

// The forward asks for a graph of its own under the guard of the whole function.
torch::Tensor recorded(const torch::Tensor &x, const torch::Tensor &w) {
  torch::AutoGradMode guard(true);
  return lossOf(x, w);
}
void guard_of_the_function_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  torch::AutoGradMode guard(false);
  for (int i = 0; i < 100; ++i) {
    recorded(x, w).backward();
    auto gradient = w.grad().clone();
    w.grad().zero_();
    w -= 0.1 * gradient;
  }
}

void stepGuarded(Net &net) {
  torch::NoGradGuard guard;
  for (auto &p : net->parameters())
    p.sub_(0.1 * p.grad());
}
void guard_in_the_helper_ok(torch::Tensor x) {
  Net net(4, 1);
  net(x).mean().backward();
  stepGuarded(net);
}

void stepUnderGuard(Net &net) {
  for (auto &p : net->parameters())
    p.sub_(0.1 * p.grad());
}
void guard_around_the_helper_ok(torch::Tensor x) {
  Net net(4, 1);
  net(x).mean().backward();
  torch::NoGradGuard guard;
  stepUnderGuard(net);
}

void lambda_under_guard_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  auto step = [&] { w -= 0.1 * w.grad(); };
  lossOf(x, w).backward();
  torch::NoGradGuard guard;
  step();
}

// Who calls it may hold a guard.
void given_ok(torch::Tensor w, double rate) { w.sub_(rate * w.grad()); }

// An optimizer of one's own, as those of LibTorch are.
class Descent : public torch::optim::Optimizer {
public:
  using torch::optim::Optimizer::Optimizer;
  torch::Tensor step(LossClosure closure = nullptr) override {
    torch::NoGradGuard guard;
    for (auto &group : param_groups())
      for (auto &p : group.params())
        if (p.grad().defined())
          p.add_(p.grad(), -group.options().get_lr());
    return {};
  }
};

// ---- what may be changed in place

void data_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  lossOf(x, w).backward();
  w.data() -= 0.1 * w.grad();
  w.data().sub_(0.1 * w.grad());
  w.detach().sub_(0.1 * w.grad());
  w.set_data(w.data() - 0.1 * w.grad());
  auto values = w.data();
  values -= 0.1 * w.grad();
}

void data_of_parameters_ok(Net net, torch::Tensor x) {
  net(x).mean().backward();
  for (auto &p : net->parameters())
    p.data().add_(p.grad(), -0.1);
  for (auto &p : net->parameters())
    p.data() = p.data() - 0.1 * p.grad();
}

void no_gradients_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  auto moved = torch::zeros({4});
  lossOf(x, w).backward();
  moved -= 0.1 * w.grad();
  moved.add_(w.grad());
}

void frozen_ok(Net net, Net other, torch::Tensor x) {
  for (auto &p : net->parameters())
    p.set_requires_grad(false);
  other(x).mean().backward();
  net->weight.add_(other->weight.grad(), 0.1);
}

void switched_off_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  lossOf(x, w).backward();
  w.requires_grad_(false);
  w -= 0.1 * w.grad();
  w.requires_grad_(true);
}

// Autograd records a change of what is no leaf.
void intermediate_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  lossOf(x, w).backward();
  auto h = w * 2;
  h -= 0.1 * w.grad();
  h.sum().backward();
}

void of_the_gradient_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    for (auto &p : net->parameters()) {
      p.grad().mul_(0.5);
      p.grad().data().clamp_(-5, 5);
      p.mutable_grad() += 0.01 * p.detach();
      p.grad().data() = p.grad().data() / 4;
    }
    optimizer.step();
  }
}

void norm_of_the_gradients_ok(Net net, torch::Tensor x) {
  net(x).mean().backward();
  auto total = torch::zeros({});
  for (const auto &p : net->parameters())
    total += p.grad().norm();
  total.print();
}

void average_ok(Net net, Net target, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
    torch::NoGradGuard guard;
    auto from = net->parameters(), to = target->parameters();
    for (size_t k = 0; k < from.size(); ++k)
      to[k].mul_(0.99).add_(from[k], 0.01);
  }
}

void initialised_ok(Net net) {
  torch::NoGradGuard guard;
  net->weight.normal_(0, 0.02);
  net->bias.zero_();
}

// The weights have gradients, and what is made where they are has none.
struct Splats {
  torch::Tensor view(torch::Tensor rotation) {
    auto matrix = torch::eye(4, device);
    matrix[0] = rotation[0];
    matrix.index_put_({0}, rotation[1]);
    return matrix;
  }
  torch::Tensor means;
  torch::Device device = torch::kCPU;
};

void options_of_an_object_ok(torch::Tensor rotation) {
  Splats splats;
  splats.means = torch::randn({10, 3}, torch::requires_grad());
  for (int i = 0; i < 100; ++i)
    (splats.view(rotation).sum() * splats.means.sum()).backward();
}
