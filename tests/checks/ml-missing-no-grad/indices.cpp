// Indices have no gradient: what they are used for needs no graph of the scores they come from.
#include <torch/torch.h>

using Net = torch::nn::Sequential;
using torch::Tensor;

struct Replay {
  Tensor state, action, reward, next;
};

void double_q_learning_bad(Net online, Net target, torch::optim::Optimizer &optimizer,
                           const std::vector<Replay> &replay) {
  for (const auto &step : replay) {
    auto value = online->forward(step.state).gather(1, step.action);
    auto scores = online->forward(step.next); // expect: ml-missing-no-grad (no fix)
    Tensor best = std::get<1>(scores.max(1));
    Tensor future;
    {
      torch::NoGradGuard guard;
      future = target->forward(step.next).gather(1, best.unsqueeze(1));
    }
    auto loss = torch::mse_loss(value, step.reward + future * 0.99);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void decomposed_bad(Net online, Net other, torch::optim::Optimizer &optimizer,
                    const std::vector<Replay> &replay) {
  for (const auto &step : replay) {
    auto [value, best] = online->forward(step.next).max(1); // expect: ml-missing-no-grad (no fix)
    auto likely = other->forward(step.next).argmax(1);      // expect: ml-missing-no-grad (no fix)
    auto scores = online->forward(step.state);
    auto loss = scores.gather(1, best.unsqueeze(1)) + scores.gather(1, likely.unsqueeze(1));
    optimizer.zero_grad();
    loss.sum().backward();
    optimizer.step();
  }
}

// The values do have one.
void values_ok(Net online, torch::optim::Optimizer &optimizer, const std::vector<Replay> &replay) {
  for (const auto &step : replay) {
    auto best = std::get<0>(online->forward(step.state).max(1));
    auto [value, index] = online->forward(step.next).max(1);
    auto most = online->forward(step.next).max();
    optimizer.zero_grad();
    (best + value - step.reward + most).sum().backward();
    optimizer.step();
  }
}

void both_ok(Net online, torch::optim::Optimizer &optimizer, const std::vector<Replay> &replay) {
  for (const auto &step : replay) {
    auto scores = online->forward(step.state);
    auto best = scores.max(1);
    auto loss = scores.gather(1, std::get<1>(best).unsqueeze(1));
    optimizer.zero_grad();
    loss.sum().backward();
    optimizer.step();
  }
}

// One method computes, another reads.
class Classifier {
public:
  explicit Classifier(Net net) : net(net) { this->net->eval(); }
  void run(Tensor image) {
    output = torch::softmax(net->forward(image), 1); // expect: ml-missing-no-grad (level 1)
  }
  double probability() { return std::get<0>(output.max(1)).item<double>(); }

private:
  Net net;
  Tensor output;
};

class Learner {
public:
  explicit Learner(Net net) : net(net) {}
  void run(Tensor image) { output = torch::softmax(net->forward(image), 1); }
  double probability() { return std::get<0>(output.max(1)).item<double>(); }
  void learn() { output.sum().backward(); }

private:
  Net net;
  Tensor output;
};
