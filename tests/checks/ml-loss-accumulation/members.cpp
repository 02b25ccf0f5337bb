// Members of trainers, meters and records outlive every iteration.
#include <torch/torch.h>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;

struct History {
  std::vector<torch::Tensor> losses;
  torch::Tensor best;
  double total = 0;
};

class Trainer {
public:
  Trainer() : net(4, 1), optimizer(net->parameters(), 0.1) {}

  void member_bad(const Batches &batches) {
    for (const auto &batch : batches) {
      auto loss = learn(batch);
      runningLoss += loss; // expect: ml-loss-accumulation
    }
  }
  void through_this_bad(const Batches &batches) {
    for (const auto &batch : batches) {
      auto loss = learn(batch);
      this->history.losses.push_back(loss); // expect: ml-loss-accumulation
    }
  }
  void in_a_method_bad(const Batches &batches) {
    for (const auto &batch : batches)
      note(learn(batch));
  }
  void in_a_method_ok(const Batches &batches) {
    for (const auto &batch : batches)
      noteDetached(learn(batch));
  }
  void member_ok(const Batches &batches) {
    for (const auto &batch : batches) {
      auto loss = learn(batch);
      runningLoss += loss.detach();
      history.total += loss.item<double>();
    }
  }

private:
  torch::Tensor learn(const Batch &batch) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    return loss;
  }
  void note(const torch::Tensor &loss) {
    seen.push_back(loss); // expect: ml-loss-accumulation
  }
  void noteDetached(const torch::Tensor &loss) { values.push_back(loss.detach()); }

  Net net;
  torch::optim::SGD optimizer;
  torch::Tensor runningLoss = torch::zeros({1});
  History history;
  std::vector<torch::Tensor> seen, values;
};

class Meter {
public:
  void update(torch::Tensor value) {
    sum += value; // expect: ml-loss-accumulation
    ++count;
  }
  double average() const { return sum.item<double>() / count; }

private:
  torch::Tensor sum = torch::zeros({1});
  int count = 0;
};
void meter_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  Meter meter;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    meter.update(loss);
  }
}

class NumberMeter {
public:
  void update(const torch::Tensor &value) { sum += value.item<double>(); }

private:
  double sum = 0;
};
class GuardedMeter {
public:
  void update(const torch::Tensor &value) {
    torch::NoGradGuard noGrad;
    sum += value;
  }

private:
  torch::Tensor sum = torch::zeros({1});
};
class DetachedMeter {
public:
  void update(const torch::Tensor &value) { sum += value; }

private:
  torch::Tensor sum = torch::zeros({1});
};
void meters_ok(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  NumberMeter number;
  GuardedMeter guarded;
  DetachedMeter detached;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    number.update(loss);
    guarded.update(loss);
    detached.update(loss.detach());
  }
}
