// Overwritten in every iteration: one graph stays alive, not all of them.
#include <torch/torch.h>

#include <map>
#include <string>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

double kept_after_the_backward_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  torch::Tensor last;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    last = loss; // expect: ml-loss-accumulation
  }
  return last.item<double>();
}

double kept_detached_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  torch::Tensor last;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    last = loss.detach();
  }
  return last.item<double>();
}

class Learner {
public:
  Learner() : net(4, 1), optimizer(net->parameters(), 0.1) {}
  void member_bad(const Batches &batches) {
    for (const auto &batch : batches) {
      optimizer.zero_grad();
      auto loss = torch::mse_loss(net(batch.data), batch.target);
      loss.backward();
      optimizer.step();
      lastLoss = loss; // expect: ml-loss-accumulation
    }
  }
  double last() const { return lastLoss.item<double>(); }

  // The member is the loss that is differentiated.
  void differentiated_member_ok(const Batches &batches) {
    for (const auto &batch : batches) {
      optimizer.zero_grad();
      current = torch::mse_loss(net(batch.data), batch.target);
      current.backward();
      optimizer.step();
    }
  }

private:
  Net net;
  torch::optim::SGD optimizer;
  torch::Tensor lastLoss, current;
};

// Declared outside, used inside.
double declared_outside_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  torch::Tensor output, loss;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    output = net(batch.data);
    loss = torch::mse_loss(output, batch.target);
    loss.backward();
    optimizer.step();
  }
  return loss.item<double>();
}

// Of every kind the last one.
void by_name_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  std::map<std::string, torch::Tensor> losses;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    losses["loss"] = loss; // expect: ml-loss-accumulation (level 2)
    loss.backward();
    optimizer.step();
  }
}
