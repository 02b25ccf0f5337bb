// Leaves that are replaced by what a step makes of them.
#include <torch/torch.h>

torch::Tensor lossAt(const torch::Tensor &x, const torch::Tensor &w) { return (x * w).mean(); }

void replaced_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    w = w - 0.1 * w.grad(); // expect: ml-manual-update-graph (no fix): 'w' is another tensor
  }
}

void in_one_call_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    w = w.add(w.grad(), -0.1); // expect: ml-manual-update-graph (no fix): stays undefined
  }
}

void of_two_bad(torch::Tensor x) {
  auto w = torch::randn({4}, torch::TensorOptions().requires_grad(true));
  auto b = torch::zeros({1}, torch::TensorOptions().requires_grad(true));
  while (true) {
    auto loss = (x * w + b).mean();
    loss.backward();
    w = w - w.grad() * 0.1; // expect: ml-manual-update-graph (no fix): 'w' is another tensor
    b = b - b.grad() * 0.1; // expect: ml-manual-update-graph (no fix): 'b' is another tensor
  }
}

// A guard keeps the step from being recorded. The result requires no gradient at all.
void under_guard_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    torch::NoGradGuard guard;
    w = w - 0.1 * w.grad(); // expect: ml-manual-update-graph (no fix): 'w' is another tensor
  }
}

void detached_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    w = w.detach() - 0.1 * w.grad(); // expect: ml-manual-update-graph (no fix): another tensor
  }
}

void not_a_leaf_bad(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    w = w - 0.1 * w.grad(); // miss: ml-manual-update-graph: it requires gradients already
    w.set_requires_grad(true);
  }
}

void leaf_again_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    w = (w - 0.1 * w.grad()).detach().requires_grad_();
  }
}

void leaf_again_later_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    w = w - 0.1 * w.grad();
    w = w.detach();
    w.requires_grad_(true);
  }
}

void detached_in_place_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    w = w - 0.1 * w.grad();
    w.detach_().requires_grad_();
  }
}

void leaf_of_data_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    w = torch::Tensor(w.data() - 0.1 * w.grad()).set_requires_grad(true);
  }
}

void leaf_again_under_guard_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    torch::NoGradGuard guard;
    w = w - 0.1 * w.grad();
    w.set_requires_grad(true);
  }
}

void leaf_at_the_top_ok(torch::Tensor x) {
  auto w = torch::zeros({4});
  for (int i = 0; i < 100; ++i) {
    w.requires_grad_();
    lossAt(x, w).backward();
    w = w.detach() - 0.1 * w.grad();
  }
}

// Projected gradient descent.
void adversarial_ok(torch::nn::Linear net, torch::Tensor x) {
  auto attacked = x.clone();
  for (int i = 0; i < 10; ++i) {
    attacked = attacked.detach();
    attacked.set_requires_grad(true);
    net(attacked).mean().backward();
    attacked = attacked + 0.01 * attacked.grad();
  }
  net(attacked).mean().print();
}

// Each batch has an image of its own.
void one_step_ok(torch::nn::Linear net, const std::vector<torch::Tensor> &batches) {
  for (const auto &batch : batches) {
    auto image = batch.clone().requires_grad_();
    net(image).mean().backward();
    image = image + 0.1 * image.grad();
    net(image).mean().print();
  }
}

void no_loop_ok(torch::nn::Linear net, torch::Tensor x) {
  auto image = x.clone().requires_grad_();
  net(image).mean().backward();
  image = image + 0.1 * image.grad();
  net(image).mean().print();
}

void last_step_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    if (i == 99) {
      w = w - 0.1 * w.grad();
      break;
    }
  }
  w.print();
}

void retained_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    w = w - 0.1 * w.grad();
    w.retain_grad();
  }
}

// The inner loop of meta-learning differentiates through its own steps.
void inner_loop_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  auto fast = w * 1;
  for (int i = 0; i < 5; ++i) {
    auto loss = lossAt(x, fast);
    auto gradient = torch::autograd::grad({loss}, {fast}, {}, true, true)[0];
    fast = fast - 0.1 * gradient;
  }
  lossAt(x, fast).backward();
}

void other_variable_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    auto fast = w - 0.1 * w.grad();
    lossAt(x, fast).backward();
    torch::NoGradGuard guard;
    w.sub_(0.1 * w.grad());
    w.grad().zero_();
  }
}

void averages_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  auto mean = torch::zeros({4}), square = torch::zeros({4});
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    mean = 0.9 * mean + 0.1 * w.grad();
    square = 0.99 * square + 0.01 * w.grad().square();
    torch::NoGradGuard guard;
    w -= 0.1 * mean / (square + 1e-8);
    w.grad().zero_();
  }
}

// A state that no gradient is asked of.
void state_ok(torch::Tensor x) {
  auto w = torch::zeros({4}).requires_grad_();
  auto position = torch::zeros({4});
  for (int i = 0; i < 100; ++i) {
    lossAt(x, w).backward();
    position = position - 0.1 * w.grad();
  }
  position.print();
}

// --- a member, by a method

class Line {
public:
  Line() : slope(torch::zeros({}, torch::requires_grad())) {}
  torch::Tensor operator()(const torch::Tensor &x) const { return slope * x; }
  void replace_bad(double rate) {
    torch::NoGradGuard guard;
    slope = slope - rate * slope.grad(); // expect: ml-manual-update-graph (no fix)
  }
  void change_ok(double rate) {
    torch::NoGradGuard guard;
    slope.sub_(rate * slope.grad());
    slope.mutable_grad().zero_();
  }
  void renew_ok(double rate) {
    slope = (slope - rate * slope.grad()).detach();
    slope.requires_grad_();
  }

private:
  torch::Tensor slope;
};

void members(torch::Tensor x, torch::Tensor y) {
  Line replaced, changed, renewed;
  for (int i = 0; i < 10; ++i) {
    torch::mse_loss(replaced(x), y).backward();
    replaced.replace_bad(0.1);
    torch::mse_loss(changed(x), y).backward();
    changed.change_ok(0.1);
    torch::mse_loss(renewed(x), y).backward();
    renewed.renew_ok(0.1);
  }
}

// --- elements of a list, each by its name in a loop

void listed_bad(torch::Tensor x) {
  std::vector<torch::Tensor> weights = {torch::randn({3, 1}, torch::requires_grad()),
                                        torch::zeros({1}, torch::requires_grad())};
  for (int i = 0; i < 10; ++i) {
    (x.mm(weights[0]) + weights[1]).pow(2).sum().backward();
    torch::NoGradGuard guard;
    for (auto &weight : weights)
      weight = weight - 0.1 * weight.grad(); // expect: ml-manual-update-graph (no fix): 'weight' is another tensor after this
  }
}

void listed_ok(torch::Tensor x) {
  std::vector<torch::Tensor> weights = {torch::randn({3, 1}, torch::requires_grad()),
                                        torch::zeros({1}, torch::requires_grad())};
  for (int i = 0; i < 10; ++i) {
    (x.mm(weights[0]) + weights[1]).pow(2).sum().backward();
    for (auto &weight : weights) {
      torch::NoGradGuard guard;
      weight = (weight - 0.1 * weight.grad()).detach();
      weight.requires_grad_();
    }
  }
}
