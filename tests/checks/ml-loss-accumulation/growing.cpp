// Sums and collections that outlive the iteration keep the graph of every iteration alive.
#include <torch/torch.h>

#include <deque>
#include <map>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

double compound_assignment_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  torch::Tensor total = torch::zeros({1});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    total += loss; // expect: ml-loss-accumulation
  }
  return total.item<double>();
}

double sum_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  auto total = torch::zeros({1});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    total = total + loss; // expect: ml-loss-accumulation
  }
  return total.item<double>();
}

void in_place_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  auto total = torch::zeros({1});
  for (size_t i = 0; i < batches.size(); ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net->forward(batches[i].data), batches[i].target);
    loss.backward();
    optimizer.step();
    total.add_(loss); // expect: ml-loss-accumulation
  }
}

// Scaling does not cut the graph.
void weighted_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  auto running = torch::zeros({1});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    running = running * 0.9 + loss * 0.1; // expect: ml-loss-accumulation
  }
}

// Nor does a copy.
void clone_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  auto total = torch::zeros({1});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    total += loss.clone(); // expect: ml-loss-accumulation
  }
}

void push_back_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  std::vector<torch::Tensor> losses;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    losses.push_back(loss); // expect: ml-loss-accumulation
  }
}

// The loss reaches a backward, the collection does not.
void stored_before_the_backward_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  std::vector<torch::Tensor> losses;
  for (const auto &batch : batches) {
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    losses.push_back(loss); // expect: ml-loss-accumulation
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void other_containers_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  std::deque<torch::Tensor> recent;
  std::map<size_t, torch::Tensor> byIndex;
  std::vector<torch::Tensor> outputs;
  for (size_t i = 0; i < batches.size(); ++i) {
    optimizer.zero_grad();
    auto output = net(batches[i].data);
    auto loss = torch::mse_loss(output, batches[i].target);
    loss.backward();
    optimizer.step();
    recent.push_back(loss);       // expect: ml-loss-accumulation
    byIndex[i] = loss;            // expect: ml-loss-accumulation
    outputs.emplace_back(output); // expect: ml-loss-accumulation
  }
}

// No backward frees even the saved tensors here.
double validation_without_a_guard_bad(Net net, const Batches &batches) {
  auto total = torch::zeros({1});
  for (const auto &batch : batches)
    total += torch::mse_loss(net(batch.data), batch.target); // expect: ml-loss-accumulation
  return total.item<double>() / batches.size();
}

void over_all_epochs_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  std::vector<torch::Tensor> history;
  for (int epoch = 0; epoch < 10; ++epoch) {
    torch::Tensor loss;
    for (const auto &batch : batches) {
      optimizer.zero_grad();
      loss = torch::mse_loss(net(batch.data), batch.target);
      loss.backward();
      optimizer.step();
    }
    history.push_back(loss); // expect: ml-loss-accumulation
  }
}

void while_loop_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto total = torch::zeros({1});
  int i = 0;
  while (true) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.step();
    total += loss; // expect: ml-loss-accumulation
    if (++i == 100)
      break;
  }
}

// --- of a model that nobody has seen: what is differentiated has a graph ---------------------------

struct Policy {
  virtual torch::Tensor forward(torch::Tensor x) = 0;
};

void unseen_bad(Policy &policy, torch::Tensor x, torch::Tensor y) {
  std::vector<torch::Tensor> losses;
  for (int i = 0; i < 10; ++i) {
    auto loss = torch::mse_loss(policy.forward(x), y);
    loss.backward();
    losses.push_back(loss); // expect: ml-loss-accumulation (level 0): keeps the graph of every iteration
  }
}
