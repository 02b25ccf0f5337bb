// Several losses of one forward pass.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using Optimizer = torch::optim::Optimizer;

void two_losses_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto output = net(x); // note: this forward pass records the graph
    auto error = torch::mse_loss(output, y);
    auto size = output.pow(2).mean();
    error.backward(); // note: this backward frees it
    size.backward(); // expect: ml-double-backward: goes through a graph that a backward before it has freed
    optimizer.step();
  }
}

void sum_then_part_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto output = net->forward(x); // note: this forward pass records the graph
  auto error = torch::mse_loss(output, y);
  auto total = error + 0.1 * output.abs().mean();
  total.backward(); // note: this backward frees it
  error.backward(); // expect: ml-double-backward
  optimizer.step();
}

void one_loss_twice_bad(Net net, torch::Tensor x, torch::Tensor y) {
  auto loss = torch::mse_loss(net(x), y); // note: this forward pass records the graph
  loss.backward(); // note: this backward frees it
  loss.backward(); // expect: ml-double-backward
}

void in_every_round_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto loss = torch::mse_loss(net(x), y); // note: this forward pass records the graph
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    loss.backward(); // expect: ml-double-backward // note: this backward frees it
    optimizer.step();
  }
}

void sum_over_rounds_bad(Net net, Optimizer &optimizer, std::vector<torch::Tensor> inputs) {
  torch::Tensor total = torch::zeros({});
  for (auto &x : inputs) {
    optimizer.zero_grad();
    total = total + net(x).sum(); // note: this forward pass records the graph
    total.backward(); // expect: ml-double-backward: through the graph of an earlier round
    optimizer.step();
  }
}

void sum_in_place_bad(Net net, Optimizer &optimizer, std::vector<torch::Tensor> inputs) {
  auto total = torch::zeros({});
  for (auto &x : inputs) {
    optimizer.zero_grad();
    total += net(x).sum(); // note: this forward pass records the graph
    total.backward(); // expect: ml-double-backward: through the graph of an earlier round
    optimizer.step();
  }
}

void retained_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto output = net(x);
    torch::mse_loss(output, y).backward({}, true);
    output.pow(2).mean().backward();
    optimizer.step();
  }
}

void may_be_retained_ok(Net net, torch::Tensor x, torch::Tensor y, bool keep) {
  auto output = net(x);
  torch::mse_loss(output, y).backward({}, keep);
  output.pow(2).mean().backward();
}

void retained_once_bad(Net net, torch::Tensor x, torch::Tensor y) {
  auto output = net(x); // note: this forward pass records the graph
  torch::mse_loss(output, y).backward({}, true);
  output.pow(2).mean().backward(); // note: this backward frees it
  output.abs().mean().backward(); // expect: ml-double-backward
}

void created_graph_ok(Net net, torch::Tensor x, torch::Tensor y) {
  auto output = net(x);
  torch::mse_loss(output, y).backward({}, {}, true);
  output.pow(2).mean().backward();
}

void two_forwards_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    net(x).pow(2).mean().backward();
    optimizer.step();
  }
}

void sum_of_losses_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto output = net(x);
  auto error = torch::mse_loss(output, y);
  auto size = output.pow(2).mean();
  (error + size).backward();
  optimizer.step();
}

void together_ok(Net net, torch::Tensor x, torch::Tensor y) {
  auto output = net(x);
  torch::autograd::backward({torch::mse_loss(output, y), output.pow(2).mean()});
}

void detached_ok(Net net, Net head, torch::Tensor x, torch::Tensor y) {
  auto output = net(x);
  torch::mse_loss(output, y).backward();
  head(output.detach()).mean().backward();
}

void either_ok(Net net, torch::Tensor x, torch::Tensor y, bool squares) {
  auto output = net(x);
  if (squares)
    torch::mse_loss(output, y).backward();
  else
    output.abs().mean().backward();
}

void perhaps_both_ok(Net net, torch::Tensor x, torch::Tensor y, bool first, bool second) {
  auto output = net(x);
  if (first)
    torch::mse_loss(output, y).backward();
  if (second)
    output.abs().mean().backward();
}

void one_of_two_nets_ok(Net a, Net b, torch::Tensor x, bool first) {
  torch::Tensor output;
  if (first)
    output = a(x);
  else
    output = b(x);
  output.sum().backward();
  a(x).sum().backward();
  b(x).sum().backward();
}

void losses_in_a_list_ok(Net net, std::vector<torch::Tensor> inputs) {
  std::vector<torch::Tensor> losses;
  for (auto &x : inputs)
    losses.push_back(net(x).sum());
  for (auto &loss : losses)
    loss.backward();
  losses[0] = net(inputs[0]).sum();
  losses[0].backward();
}

void losses_by_index_ok(Net net, std::vector<torch::Tensor> inputs, torch::Tensor losses[]) {
  for (size_t i = 0; i < inputs.size(); ++i)
    losses[i] = net(inputs[i]).sum();
  for (size_t i = 0; i < inputs.size(); ++i)
    losses[i].backward();
}

void list_of_two_nets_ok(Net a, Net b, torch::Tensor x) {
  std::vector<torch::Tensor> losses = {a(x).sum(), b(x).sum()};
  losses[0].backward();
  losses[1].backward();
}

void go_through_list_ok(Net a, Net b, torch::Tensor x) {
  for (auto &loss : {a(x).sum(), b(x).sum()})
    loss.backward();
}

void backward_of_last_round_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::Tensor last;
  for (auto &x : inputs) {
    if (last.defined())
      last.backward();
    last = net(x).sum();
  }
  last.backward();
}

void some_inputs_only_ok(Net net, torch::Tensor x, torch::Tensor y) {
  auto output = net(x);
  auto loss = torch::mse_loss(output, y);
  loss.backward({}, {}, false, std::vector<torch::Tensor>{net->bias});
  output.sum().backward();
}

// Only sums: nothing is saved for a backward.
void sums_only_ok() {
  auto a = torch::ones({2}, torch::requires_grad());
  auto b = a + 1;
  b.sum().backward();
  (b + 2).sum().backward();
}

void frozen_features_ok(Net backbone, Net left, Net right, torch::Tensor x) {
  for (auto &parameter : backbone->parameters())
    parameter.set_requires_grad(false);
  auto features = backbone(x);
  left(features).sum().backward();
  right(features).sum().backward();
}

void features_without_graph_ok(Net backbone, Net left, Net right, torch::Tensor x) {
  torch::Tensor features;
  {
    torch::NoGradGuard guard;
    features = backbone(x);
  }
  left(features).sum().backward();
  right(features).sum().backward();
}
