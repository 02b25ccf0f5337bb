// What is stored holds no graph.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return torch::log_softmax(output(x), 1); }
  torch::nn::Linear output = register_module("output", torch::nn::Linear(4, 3));
};
TORCH_MODULE(Net);
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

double numbers_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  double total = 0;
  float asFloat = 0;
  std::vector<float> history;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::nll_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    total += loss.item<double>();
    asFloat += loss.item().toFloat();
    history.push_back(loss.item<float>());
  }
  return total + asFloat;
}

// A number, though the name says loss.
double early_item_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  double total = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto lossTensor = torch::nll_loss(net(batch.data), batch.target);
    lossTensor.backward();
    optimizer.step();
    const double loss = lossTensor.item<double>();
    total += loss;
  }
  return total;
}

void detach_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  auto total = torch::zeros({1}), sum = torch::zeros({1});
  std::vector<torch::Tensor> losses, copies;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::nll_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    total += loss.detach();
    sum = sum + loss.data();
    losses.push_back(loss.detach());
    copies.push_back(loss.detach().clone());
  }
}

void detached_variable_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  auto total = torch::zeros({1}), inPlace = torch::zeros({1});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::nll_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    auto value = loss.detach().cpu();
    total += value;
    loss.detach_();
    inPlace += loss;
  }
}

void no_grad_scope_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  auto total = torch::zeros({1});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::nll_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    torch::NoGradGuard noGrad;
    total += loss;
  }
}

double evaluation_ok(Net net, const Batches &batches) {
  torch::NoGradGuard noGrad;
  net->eval();
  auto total = torch::zeros({1});
  std::vector<torch::Tensor> outputs;
  for (const auto &batch : batches) {
    auto output = net(batch.data);
    total += torch::nll_loss(output, batch.target);
    outputs.push_back(output);
  }
  return total.item<double>();
}

double inference_mode_ok(Net net, const Batches &batches) {
  c10::InferenceMode guard;
  auto total = torch::zeros({1});
  for (const auto &batch : batches)
    total += torch::nll_loss(net(batch.data), batch.target);
  return total.item<double>();
}

double switched_off_ok(Net net, const Batches &batches) {
  torch::AutoGradMode guard(false);
  auto total = torch::zeros({1});
  for (const auto &batch : batches)
    total = total + torch::nll_loss(net(batch.data), batch.target);
  return total.item<double>();
}

double sumOfLosses(Net &net, const Batches &batches) {
  auto total = torch::zeros({1});
  for (const auto &batch : batches)
    total += torch::nll_loss(net(batch.data), batch.target);
  return total.item<double>();
}
double guard_in_the_caller_ok(Net net, const Batches &batches) {
  torch::NoGradGuard noGrad;
  return sumOfLosses(net, batches);
}

// Counts are not differentiable.
void counters_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  auto correct = torch::zeros({1}, torch::kLong);
  std::vector<torch::Tensor> predictions;
  int64_t hits = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto output = net(batch.data);
    torch::nll_loss(output, batch.target).backward();
    optimizer.step();
    auto predicted = output.argmax(1);
    correct += predicted.eq(batch.target).sum();
    hits += predicted.eq(batch.target).sum().item<int64_t>();
    predictions.push_back(predicted);
  }
}

// No leaf requires a gradient.
void statistics_of_data_ok(const Batches &batches) {
  auto mean = torch::zeros({4});
  std::vector<torch::Tensor> norms;
  for (const auto &batch : batches) {
    mean += batch.data.mean();
    norms.push_back(torch::mse_loss(batch.data, batch.target));
  }
}

// The sum is a new one in every iteration.
void inside_the_iteration_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto output = net(batch.data);
    auto loss = torch::nll_loss(output, batch.target);
    auto report = torch::zeros({1});
    report += loss;
    std::vector<torch::Tensor> parts;
    parts.push_back(loss);
    loss.backward();
    optimizer.step();
  }
}

// The forward pass has a guard of its own.
struct ActorImpl : torch::nn::Module {
  torch::nn::Linear layer = register_module("layer", torch::nn::Linear(4, 4));
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    torch::NoGradGuard noGrad;
    auto action = layer(x);
    return {action, action.sum()};
  }
};
TORCH_MODULE(Actor);

void guarded_forward_ok(Actor &actor, torch::Tensor x) {
  torch::Tensor sum = torch::zeros({});
  for (int step = 0; step < 100; ++step) {
    auto [action, value] = actor->forward(x);
    sum = sum + value;
  }
  sum.print();
}
