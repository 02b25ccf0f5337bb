// eval() in the caller, in a helper, in a base class; evaluation in a function of its own.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 8));
    dropout = register_module("dropout", torch::nn::Dropout());
    output = register_module("output", torch::nn::Linear(8, 3));
  }
  torch::Tensor forward(torch::Tensor x) { return output(dropout(hidden(x))); }
  torch::nn::Linear hidden{nullptr}, output{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Net);
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;

void learn(Net &net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->train();
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    torch::nll_loss(net(batch.data), batch.target).backward();
    optimizer.step();
  }
}

double test(Net &net, const Batches &batches) {
  torch::NoGradGuard noGrad;
  double loss = 0;
  for (const auto &batch : batches)
    loss += torch::nll_loss(net(batch.data), batch.target) // expect: ml-missing-eval-mode
                .item<double>();
  return loss;
}
void no_eval_in_the_caller_bad(const Batches &training, const Batches &testing) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    learn(net, optimizer, training);
    test(net, testing);
  }
}

double testInEvalMode(Net &net, const Batches &batches) {
  net->eval();
  torch::NoGradGuard noGrad;
  double loss = 0;
  for (const auto &batch : batches)
    loss += torch::nll_loss(net(batch.data), batch.target).item<double>();
  return loss;
}
void eval_in_the_test_ok(const Batches &training, const Batches &testing) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    learn(net, optimizer, training);
    testInEvalMode(net, testing);
  }
}

double testAsItIs(Net &net, const Batches &batches) {
  torch::NoGradGuard noGrad;
  double loss = 0;
  for (const auto &batch : batches)
    loss += torch::nll_loss(net(batch.data), batch.target).item<double>();
  return loss;
}
void eval_in_the_caller_ok(const Batches &training, const Batches &testing) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    learn(net, optimizer, training);
    net->eval();
    testAsItIs(net, testing);
  }
}

void prepare(Net &net) { net->eval(); }
void eval_in_a_helper_ok(torch::Tensor x) {
  Net net;
  prepare(net);
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

void prepareUnseen(Net &net);
void eval_in_an_unseen_helper_ok(torch::Tensor x) {
  Net net;
  prepareUnseen(net);
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

Net load() {
  Net net;
  torch::load(net, "net.pt");
  net->eval();
  return net;
}
void loaded_in_eval_mode_ok(torch::Tensor x) {
  auto net = load();
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

class Classifier {
public:
  Classifier() : optimizer(net->parameters(), 0.1) {}

  void fit_bad(const Batches &training, const Batches &testing) {
    for (int epoch = 0; epoch < 10; ++epoch) {
      learn(net, optimizer, training);
      validate(testing);
    }
  }
  void fit_ok(const Batches &training, const Batches &testing) {
    for (int epoch = 0; epoch < 10; ++epoch) {
      learn(net, optimizer, training);
      validateInEvalMode(testing);
    }
  }

private:
  void validate(const Batches &batches) {
    torch::NoGradGuard noGrad;
    for (const auto &batch : batches)
      auto predicted = this->net(batch.data).argmax(1); // expect: ml-missing-eval-mode
  }
  void validateInEvalMode(const Batches &batches) {
    torch::NoGradGuard noGrad;
    net->eval();
    for (const auto &batch : batches)
      auto predicted = this->net(batch.data).argmax(1);
  }
  Net net;
  torch::optim::SGD optimizer;
};

class Predictor {
public:
  Predictor() { net->eval(); }
  torch::Tensor predict_ok(torch::Tensor x) {
    torch::NoGradGuard noGrad;
    return net(x).argmax(1);
  }

private:
  Net net;
};

void lambda_bad(const Batches &training, const Batches &testing) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const auto evaluate = [&] {
    torch::NoGradGuard noGrad;
    for (const auto &batch : testing)
      auto predicted = net(batch.data).argmax(1); // expect: ml-missing-eval-mode
  };
  learn(net, optimizer, training);
  evaluate();
}

void lambda_ok(const Batches &training, const Batches &testing) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const auto evaluate = [&] {
    torch::NoGradGuard noGrad;
    net->eval();
    for (const auto &batch : testing)
      auto predicted = net(batch.data).argmax(1);
  };
  learn(net, optimizer, training);
  evaluate();
}

// Who reads the numbers is to blame, not the helper that gives what the net gives.
class Estimator {
public:
  Estimator() { torch::load(net, "net.pt"); }
  torch::Tensor predict(torch::Tensor x) { return net(x); }

private:
  Net net;
};
void search_bad(torch::Tensor x) {
  Estimator estimator;
  double total = 0;
  torch::NoGradGuard noGrad;
  for (int i = 0; i < 100; ++i)
    total += estimator.predict(x)[0].item<double>(); // expect: ml-missing-eval-mode
}
