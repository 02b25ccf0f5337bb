// What parameters() returns are copies of the handles.
#include <torch/torch.h>

using Model = torch::nn::Linear;

void by_value_bad(Model model, torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    model->zero_grad();
    model(x).mean().backward();
    for (auto p : model->parameters())
      p = p - 0.1 * p.grad(); // expect: ml-manual-update-graph (no fix): assigns to a copy
  }
}

// A reference to an element of a list that nobody else has.
void by_reference_bad(Model model, torch::Tensor x) {
  model(x).mean().backward();
  for (auto &p : model->parameters())
    p = p - 0.1 * p.grad(); // expect: ml-manual-update-graph (no fix): keeps its value
}

void under_guard_bad(Model model, torch::Tensor x) {
  model(x).mean().backward();
  torch::NoGradGuard guard;
  for (auto &p : model->parameters())
    p = p - 0.1 * p.grad(); // expect: ml-manual-update-graph (no fix): assigns to a copy
}

void forwarding_bad(Model model, torch::Tensor x) {
  model(x).mean().backward();
  torch::NoGradGuard guard;
  for (auto &&p : model->parameters())
    p = p.add(p.grad(), -0.1); // expect: ml-manual-update-graph (no fix): assigns to a copy
}

void typed_bad(Model model, torch::Tensor x) {
  model(x).mean().backward();
  torch::NoGradGuard guard;
  for (torch::Tensor p : model->parameters()) {
    if (p.grad().defined())
      p = p - p.grad() * 0.1; // expect: ml-manual-update-graph (no fix): assigns to a copy
  }
}

void named_bad(Model model, torch::Tensor x) {
  model(x).mean().backward();
  torch::NoGradGuard guard;
  for (auto &item : model->named_parameters())
    item.value() = item.value() - item.value().grad(); // miss: ml-manual-update-graph: named parameters
}

void clipped_bad(Model critic) {
  torch::NoGradGuard guard;
  for (auto p : critic->parameters())
    p = p.clamp(-0.01, 0.01); // expect: ml-manual-update-graph (no fix): keeps its value
}

void moved_bad(Model model, torch::Device device) {
  for (auto &p : model->parameters())
    p = p.to(device); // expect: ml-manual-update-graph (no fix): keeps its value
}

void initialised_bad(Model model) {
  for (auto p : model->parameters())
    p = torch::zeros_like(p); // expect: ml-manual-update-graph (no fix): keeps its value
}

struct Trainer {
  Model model{4, 1};
  void step_bad() {
    torch::NoGradGuard guard;
    for (auto &p : model->parameters())
      p = p - 0.1 * p.grad(); // expect: ml-manual-update-graph (no fix): assigns to a copy
  }
};

// ---- the values change

void in_place_ok(Model model, torch::Tensor x) {
  model(x).mean().backward();
  torch::NoGradGuard guard;
  for (auto p : model->parameters())
    p -= 0.1 * p.grad();
  for (auto &p : model->parameters())
    p.copy_(p - 0.1 * p.grad());
  for (const auto &p : model->parameters())
    p.sub_(0.1 * p.grad());
}

void of_unnamed_tensors_ok(Model model, torch::Tensor x) {
  model(x).mean().backward();
  torch::NoGradGuard guard;
  for (auto &p : model->parameters())
    p.data() = p.data() - 0.1 * p.grad();
  for (auto &p : model->parameters())
    p.set_data(p - 0.1 * p.grad());
  for (auto &item : model->named_parameters())
    item.value().data() = item.value().data() * 0.5;
  for (auto &item : model->named_parameters())
    item.value().grad().data() = item.value().grad().data() / 4;
}

void gradients_ok(Model model) {
  for (auto &p : model->parameters())
    p.mutable_grad() = torch::Tensor();
  for (auto p : model->parameters())
    p.mutable_grad() = torch::zeros_like(p);
}

void frozen_ok(Model model) {
  for (auto p : model->parameters())
    p.set_requires_grad(false);
}

// ---- the new handles are what is wanted

void read_ok(Model model) {
  double total = 0;
  for (auto p : model->parameters()) {
    p = p.detach().cpu();
    total += p.norm().item<double>();
  }
  for (auto p : model->parameters()) {
    p = p.grad();
    if (p.defined())
      total += p.norm().item<double>();
  }
}

std::vector<torch::Tensor> snapshot_ok(Model model) {
  auto values = model->parameters();
  for (auto &value : values)
    value = value.detach().clone();
  return values;
}

torch::Tensor fast_weights_ok(Model model, torch::Tensor x) {
  auto weights = model->parameters();
  auto gradients = torch::autograd::grad({model(x).mean()}, weights, {}, true, true);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = weights[i] - 0.1 * gradients[i];
  return torch::nn::functional::linear(x, weights[0], weights[1]).mean();
}

torch::Tensor fast_weights_by_reference_ok(Model model, torch::Tensor x) {
  model(x).mean().backward();
  auto weights = model->parameters();
  for (auto &w : weights)
    w = w - 0.1 * w.grad();
  return torch::nn::functional::linear(x, weights[0], weights[1]).mean();
}

// Parameters of one model by the names of another.
void from_other_ok(Model model, Model trained) {
  auto values = model->named_parameters(), others = trained->named_parameters();
  for (auto &item : others)
    values[item.key()] = item.value();
  torch::NoGradGuard guard;
  for (auto &item : model->named_parameters())
    item.value().copy_(values[item.key()]);
}

struct Values {
  std::vector<double> &parameters();
};
void lookalike_ok(Values &values) {
  for (auto p : values.parameters())
    p = p * 2;
}

// Tensors of a list are for ml-rebound-handle.
void other_list_ok(std::vector<torch::Tensor> &tensors) {
  for (auto &t : tensors)
    t = t - 0.1 * t.norm();
}
