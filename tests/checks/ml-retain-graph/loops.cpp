// A graph is kept that nobody uses again.
#include <torch/torch.h>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

void retained_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward({}, true); // expect: ml-retain-graph
    optimizer.step();
  }
}

void not_retained_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward({}, false);
    optimizer.step();
  }
}

void gradient_given_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  for (size_t i = 0; i < batches.size(); ++i) {
    optimizer.zero_grad();
    auto output = net->forward(batches[i].data);
    output.backward(torch::ones_like(output), /*retain_graph=*/true); // expect: ml-retain-graph
    optimizer.step();
  }
}

void gradient_given_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (size_t i = 0; i < batches.size(); ++i) {
    optimizer.zero_grad();
    auto output = net->forward(batches[i].data);
    output.backward(torch::ones_like(output));
    optimizer.step();
  }
}

void create_graph_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward({}, false, true); // expect: ml-retain-graph
    optimizer.step();
  }
}

void free_function_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    torch::autograd::backward({loss}, {}, true); // expect: ml-retain-graph (no fix)
    optimizer.step();
  }
}

void free_function_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    torch::autograd::backward({torch::mse_loss(net(batch.data), batch.target)});
    optimizer.step();
  }
}

void loader_bad() {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
  torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::Linear(784, 10));
  torch::optim::Adam optimizer(net->parameters());
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    auto loss = torch::nn::functional::cross_entropy(net->forward(batch.data), batch.target);
    loss.backward(torch::Tensor(), true); // expect: ml-retain-graph
    optimizer.step();
  }
}

// Reading the value again is no use of the graph.
void metrics_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  double total = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto output = net(batch.data);
    auto loss = torch::mse_loss(output, batch.target);
    loss.backward({}, true); // expect: ml-retain-graph
    optimizer.step();
    total += loss.item<double>() + output.argmax(1).eq(batch.target).sum().item<double>();
  }
}

// By a condition: the last one frees it.
void by_a_condition_ok(Net net, Optimizer &optimizer, const Batches &batches, int repeats) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    for (int i = 0; i < repeats; ++i)
      loss.backward({}, i + 1 < repeats);
    optimizer.step();
  }
}

void repeated_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto loss = torch::mse_loss(net(x), y);
  for (int i = 0; i < 4; ++i)
    loss.backward({}, true);
  optimizer.step();
}

class Trainer {
public:
  Trainer() : net(4, 1), optimizer(net->parameters(), 0.1) {}
  void fit_bad(const Batches &batches) {
    for (const auto &batch : batches)
      fitBatch(batch);
  }
  void fit_ok(const Batches &batches) {
    for (const auto &batch : batches)
      fitBatchFreed(batch);
  }

private:
  void fitBatch(const Batch &batch) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward({}, true); // expect: ml-retain-graph
    optimizer.step();
  }
  void fitBatchFreed(const Batch &batch) {
    optimizer.zero_grad();
    torch::mse_loss(net(batch.data), batch.target).backward();
    optimizer.step();
  }
  Net net;
  torch::optim::SGD optimizer;
};

// The caller differentiates the same graph.
torch::Tensor differentiate(Net &net, const Batch &batch) {
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  loss.backward({}, true);
  return loss;
}
void graph_used_by_the_caller_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = differentiate(net, batch);
    (loss * 0.5).backward();
    optimizer.step();
  }
}

// Modules whose code is in another file.
struct CameraImpl : torch::nn::Module {
  torch::Tensor raysOf(torch::Tensor pose);
  torch::Tensor forward(torch::Tensor rays);
};
TORCH_MODULE(Camera);
void rendered_bad(Camera camera, Optimizer &optimizer, torch::Tensor pose, torch::Tensor image) {
  torch::Tensor rays;
  for (int i = 0; i < 100; ++i) {
    rays = camera->raysOf(pose);
    auto loss = torch::mse_loss(camera->forward(rays), image);
    optimizer.zero_grad();
    loss.backward({}, true); // expect: ml-retain-graph
    optimizer.step();
  }
}

struct TwofoldImpl : torch::nn::Module {
  TwofoldImpl() { layer = register_module("layer", torch::nn::Linear(4, 1)); }
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    torch::Tensor y = layer(x);
    return {y, y * 2.0};
  }
  torch::nn::Linear layer{nullptr};
};
TORCH_MODULE(Twofold);

// What the names of structured bindings stand for in one round is gone in the next.
void structured_bindings_bad(Twofold net, torch::optim::SGD &optimizer, torch::Tensor x) {
  for (int i = 0; i < 10; ++i) {
    auto [first, second] = net(x);
    optimizer.zero_grad();
    torch::mse_loss(first, second).backward({}, true); // expect: ml-retain-graph
    optimizer.step();
  }
}

// They are references: what is assigned to one is found by its name.
void assigned_bindings_bad(Twofold net, torch::optim::SGD &optimizer, torch::Tensor x) {
  for (int i = 0; i < 10; ++i) {
    auto [first, second] = net(x);
    first = first.view({-1});
    second = second.view({-1});
    optimizer.zero_grad();
    torch::mse_loss(first, second).backward({}, true); // expect: ml-retain-graph
    optimizer.step();
  }
}

void constant_bad(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  const bool retain = true;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).sum().backward({}, retain); // expect: ml-retain-graph
    optimizer.step();
  }
}
