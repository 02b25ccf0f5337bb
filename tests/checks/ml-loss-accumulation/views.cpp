// What is written into a part of a tensor gives its graph to the whole tensor.
#include <torch/torch.h>

#include <iostream>

using Net = torch::nn::Linear;
using Optimizer = torch::optim::Optimizer;

void element_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  torch::Tensor losses = torch::zeros(100);
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::mse_loss(net(x), y);
    losses[i] = loss; // expect: ml-loss-accumulation: 'losses' keeps the graph of every iteration
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void other_ways_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto copied = torch::zeros({100}), selected = torch::zeros({100}), put = torch::zeros({100});
  auto summed = torch::zeros({10}), nested = torch::zeros({10, 10});
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.step();
    copied[i].copy_(loss);         // expect: ml-loss-accumulation
    selected.select(0, i) = loss;  // expect: ml-loss-accumulation
    put.index_put_({i}, loss);     // expect: ml-loss-accumulation
    summed[i % 10] += loss;        // expect: ml-loss-accumulation
    nested[i / 10][i % 10] = loss; // expect: ml-loss-accumulation
  }
}

torch::Tensor predictions_without_a_guard_bad(Net net, torch::Tensor samples) {
  auto predictions = torch::zeros({samples.size(0)});
  for (int64_t i = 0; i < samples.size(0); ++i)
    predictions[i] = net(samples[i]).squeeze(); // expect: ml-loss-accumulation
  std::cout << predictions.mean().item<double>();
  return torch::zeros({1});
}

void whole_tensor_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto last = torch::zeros({8, 2});
  std::vector<torch::Tensor> rollout(10, torch::zeros({8, 2})), kept = {torch::zeros({8, 2})};
  for (int i = 0; i < 100; ++i) {
    auto output = net(x);
    last.copy_(output); // expect: ml-loss-accumulation: 'last' keeps the graph of every iteration
    rollout[i % 10].copy_(output); // expect: ml-loss-accumulation
    kept[0].copy_(output.detach());
    auto loss = torch::mse_loss(output, y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void cut_off_bad(Net net, Optimizer &optimizer, torch::Tensor x) {
  auto last = torch::zeros({8, 2});
  for (int i = 0; i < 100; ++i) {
    last.copy_(net(x) + net(2 * x)); // expect: ml-loss-accumulation
    auto loss = torch::mse_loss(net(x), last.detach());
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void numbers_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto numbers = torch::zeros({100}), detached = torch::zeros({100}), values = torch::zeros({100});
  auto right = torch::zeros({100});
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto output = net(x);
    auto loss = torch::mse_loss(output, y);
    loss.backward();
    optimizer.step();
    numbers[i] = loss.item<double>();
    detached[i] = loss.detach();
    values.data()[i] = loss;
    right[i] = output.argmax(1).eq(y).sum();
  }
}

void guarded_ok(Net net, torch::Tensor x) {
  auto outputs = torch::zeros({100});
  torch::NoGradGuard guard;
  for (int i = 0; i < 100; ++i)
    outputs[i] = net(x[i]).squeeze();
}

void of_this_iteration_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    auto parts = torch::zeros({2});
    parts[0] = torch::mse_loss(net(x), y);
    optimizer.zero_grad();
    parts[0].backward();
    optimizer.step();
  }
}

void filled_then_differentiated_ok(torch::nn::GRUCell cell, Optimizer &optimizer, torch::Tensor x,
                                   torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    auto state = torch::zeros({1, 16});
    auto outputs = torch::zeros({100, 16});
    for (int64_t t = 0; t < 100; ++t) {
      state = cell(x[t], state);
      outputs[t] = state.squeeze();
    }
    optimizer.zero_grad();
    torch::mse_loss(outputs, y).backward();
    optimizer.step();
  }
}

// The way to `outputs` is through a view, too.
torch::Tensor filled_for_the_caller_ok(Net net, torch::Tensor x) {
  auto outputs = torch::zeros({100});
  for (int i = 0; i < 100; ++i)
    outputs[i] = net(x[i]).squeeze();
  return outputs;
}
