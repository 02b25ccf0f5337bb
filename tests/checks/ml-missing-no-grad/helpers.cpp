// A guard at any depth of the calls, and forwards that somebody else differentiates.
#include <torch/torch.h>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

double lossUnderTheGuard(Net &net, const Batch &batch) {
  return torch::mse_loss(net(batch.data), batch.target).item<double>();
}
double sumUnderTheGuard(Net &net, const Batches &batches) {
  double sum = 0;
  for (const auto &batch : batches)
    sum += lossUnderTheGuard(net, batch);
  return sum;
}
void guard_in_the_callers_caller_ok(Net net, const Batches &batches) {
  net->eval();
  torch::NoGradGuard noGrad;
  auto loss = sumUnderTheGuard(net, batches);
}

double evaluate(Net &net, const Batches &batches) {
  net->eval();
  double sum = 0;
  for (const auto &batch : batches) {
    auto output = net(batch.data); // expect: ml-missing-no-grad
    sum += torch::mse_loss(output, batch.target).item<double>();
  }
  return sum;
}
void no_guard_at_all_bad(Net net, const Batches &batches) { evaluate(net, batches); }

// One function for both.
torch::Tensor lossOf(Net &net, const Batch &batch) {
  return torch::mse_loss(net(batch.data), batch.target);
}
void shared_with_training_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    lossOf(net, batch).backward();
    optimizer.step();
  }
  net->eval();
  torch::NoGradGuard noGrad;
  double sum = 0;
  for (const auto &batch : batches)
    sum += lossOf(net, batch).item<double>();
}

// What the callers do with it is not known.
torch::Tensor features_ok(Net &net, torch::Tensor x) { return net(x); }

void differentiate(const torch::Tensor &loss) { loss.backward(); }
void differentiated_by_a_helper_ok(Net net, torch::Tensor x) { differentiate(net(x).mean()); }

void consume(const torch::Tensor &loss);
void handed_to_an_unseen_function_ok(Net net, torch::Tensor x) { consume(net(x).mean()); }

class Model {
public:
  Model() : optimizer(net->parameters(), 0.1) {}

  double evaluate_bad(const Batches &batches) {
    net->eval();
    double sum = 0;
    for (const auto &batch : batches)
      sum += this->net(batch.data).mean().item<double>(); // expect: ml-missing-no-grad
    return sum;
  }
  double evaluate_ok(const Batches &batches) {
    net->eval();
    torch::NoGradGuard noGrad;
    double sum = 0;
    for (const auto &batch : batches)
      sum += scoreOf(batch);
    return sum;
  }
  void learn_ok(const Batches &batches) {
    for (const auto &batch : batches) {
      optimizer.zero_grad();
      output = net(batch.data);
      finish(batch.target);
    }
  }

private:
  double scoreOf(const Batch &batch) { return net(batch.data).mean().item<double>(); }
  void finish(const torch::Tensor &target) {
    torch::mse_loss(output, target).backward();
    optimizer.step();
  }

  Net net{4, 1};
  torch::optim::SGD optimizer;
  torch::Tensor output;
};

void lambda_bad(Net net, const Batches &batches) {
  net->eval();
  const auto accuracy = [&](const Batch &batch) {
    auto predicted = net(batch.data).argmax(1); // expect: ml-missing-no-grad
    return predicted.eq(batch.target).sum().item<int64_t>();
  };
  for (const auto &batch : batches)
    accuracy(batch);
}

void lambda_ok(Net net, const Batches &batches) {
  net->eval();
  const auto accuracy = [&](const Batch &batch) {
    auto predicted = net(batch.data).argmax(1);
    return predicted.eq(batch.target).sum().item<int64_t>();
  };
  torch::NoGradGuard noGrad;
  for (const auto &batch : batches)
    accuracy(batch);
}

class Guarded {
public:
  Guarded() { net->eval(); }
  int64_t predict_ok(torch::Tensor x) {
    torch::NoGradGuard noGrad;
    return classOf(x);
  }

private:
  int64_t classOf(torch::Tensor x) { return net(x).argmax(1).item<int64_t>(); }
  Net net{4, 3};
};

// The helper trains where its first caller uses it: the second caller is to blame.
torch::Tensor scored(Net &net, torch::Tensor x, torch::Tensor y) {
  return torch::mse_loss(net(x), y);
}
void score_after_training(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    scored(net, x, y).backward();
    optimizer.step();
  }
  auto score = scored(net, x, y).item<double>(); // expect: ml-missing-no-grad
}

// Who reads the numbers knows that no backward follows; a helper that gives what the net gives
// cannot.
class Estimator {
public:
  torch::Tensor predict(torch::Tensor x) { return net(x); }
  torch::Tensor scaled(torch::Tensor x) { return 2 * predict(x); }

private:
  Net net{4, 1};
};
class Search {
public:
  void simulate_bad(torch::Tensor x) {
    for (int i = 0; i < 100; ++i)
      total += estimator->scaled(x).item<double>(); // expect: ml-missing-no-grad
  }

private:
  std::shared_ptr<Estimator> estimator;
  double total = 0;
};

// It takes the class itself, so that a guard is its own affair.
torch::Tensor classified(Net &net, torch::Tensor x) {
  return net(x).argmax(1); // expect: ml-missing-no-grad
}
void count_bad(Net net, torch::Tensor x) {
  for (int i = 0; i < 100; ++i)
    auto count = classified(net, x).sum().item<int64_t>();
}

// One guard in the helper serves all.
torch::Tensor valued(Net &net, torch::Tensor x) {
  return net(x); // expect: ml-missing-no-grad
}
void many_callers_bad(Net net, torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    auto first = valued(net, x).item<double>();
    auto second = valued(net, x + 1).item<double>();
  }
}
