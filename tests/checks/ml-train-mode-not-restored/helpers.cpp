// eval() and train() in helpers, callers, members, lambdas and scopes.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 1));
    dropout = register_module("dropout", torch::nn::Dropout(0.5));
  }
  torch::Tensor forward(torch::Tensor x) { return dropout(hidden(x)); }
  torch::nn::Linear hidden{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Net);
using Optimizer = torch::optim::Optimizer;

void learn(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  optimizer.zero_grad();
  torch::mse_loss(net(x), y).backward();
  optimizer.step();
}
double validate(Net &net, torch::Tensor x, torch::Tensor y) {
  net->eval(); // expect: ml-train-mode-not-restored (no fix)
  torch::NoGradGuard noGrad;
  return torch::mse_loss(net(x), y).item<double>();
}
void in_a_helper_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    learn(net, optimizer, x, y);
    validate(net, x, y);
  }
}

void learnInTrainMode(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  net->train();
  learn(net, optimizer, x, y);
}
double validateBetween(Net &net, torch::Tensor x, torch::Tensor y) {
  net->eval();
  torch::NoGradGuard noGrad;
  return torch::mse_loss(net(x), y).item<double>();
}
void train_in_a_helper_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    learnInTrainMode(net, optimizer, x, y);
    validateBetween(net, x, y);
  }
}

double validateForTheCaller(Net &net, torch::Tensor x, torch::Tensor y) {
  net->eval();
  torch::NoGradGuard noGrad;
  return torch::mse_loss(net(x), y).item<double>();
}
void train_in_the_caller_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    learn(net, optimizer, x, y);
    validateForTheCaller(net, x, y);
    net->train();
  }
}

double validateAndRestore(Net &net, torch::Tensor x, torch::Tensor y) {
  net->eval();
  torch::NoGradGuard noGrad;
  const double loss = torch::mse_loss(net(x), y).item<double>();
  net->train();
  return loss;
}
void restored_by_the_helper_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    learn(net, optimizer, x, y);
    validateAndRestore(net, x, y);
  }
}

// On an early return the mode is lost.
double validateWithReturn(Net &net, torch::Tensor x, torch::Tensor y) {
  net->eval(); // expect: ml-train-mode-not-restored (no fix)
  torch::NoGradGuard noGrad;
  if (x.size(0) == 0)
    return 0;
  const double loss = torch::mse_loss(net(x), y).item<double>();
  net->train();
  return loss;
}
void early_return_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    learn(net, optimizer, x, y);
    validateWithReturn(net, x, y);
  }
}

class EvaluationScope {
public:
  explicit EvaluationScope(Net net) : net(net) { net->eval(); }
  ~EvaluationScope() { net->train(); }

private:
  Net net;
};
void scope_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    learn(net, optimizer, x, y);
    EvaluationScope scope(net);
    torch::NoGradGuard noGrad;
    torch::mse_loss(net(x), y).item<double>();
  }
}

void unseen(Net &net);
void restored_by_an_unseen_helper_ok(Net net, Optimizer &optimizer, torch::Tensor x,
                                     torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    unseen(net);
    learn(net, optimizer, x, y);
    net->eval();
    torch::NoGradGuard noGrad;
    torch::mse_loss(net(x), y).item<double>();
  }
}

class Trainer {
public:
  Trainer() : optimizer(net->parameters(), 0.1) {}

  void fit_bad(torch::Tensor x, torch::Tensor y) {
    for (int epoch = 0; epoch < 10; ++epoch) {
      fitBatch(x, y);
      this->net->eval(); // expect: ml-train-mode-not-restored (no fix)
      score(x, y);
    }
  }
  void fit_ok(torch::Tensor x, torch::Tensor y) {
    for (int epoch = 0; epoch < 10; ++epoch) {
      begin();
      fitBatch(x, y);
      net->eval();
      score(x, y);
    }
  }

private:
  void begin() { net->train(true); }
  void fitBatch(torch::Tensor x, torch::Tensor y) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
  double score(torch::Tensor x, torch::Tensor y) {
    torch::NoGradGuard noGrad;
    return torch::mse_loss(net(x), y).item<double>();
  }
  Net net;
  torch::optim::SGD optimizer;
};

void lambda_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  const auto score = [&] {
    torch::NoGradGuard noGrad;
    net->eval(); // expect: ml-train-mode-not-restored (no fix)
    return torch::mse_loss(net(x), y).item<double>();
  };
  for (int epoch = 0; epoch < 10; ++epoch) {
    learn(net, optimizer, x, y);
    score();
  }
}

void reference_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto &same = *net;
  for (int epoch = 0; epoch < 10; ++epoch) {
    same.train();
    learn(net, optimizer, x, y);
    net->eval();
    torch::NoGradGuard noGrad;
    torch::mse_loss(net(x), y).item<double>();
  }
}

// Adversarial examples are made in evaluation mode: their backward is for the gradient of the input.
torch::Tensor adversarial(Net net, torch::Tensor x, torch::Tensor y) {
  net->eval();
  x = x.clone().detach().requires_grad_(true);
  net->zero_grad();
  torch::mse_loss(net(x), y).backward();
  return (x + 0.03 * x.grad()).detach();
}

void adversarial_training_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    auto attack = adversarial(net, x, y);
    net->train();
    optimizer.zero_grad();
    torch::mse_loss(net(attack), y).backward();
    optimizer.step();
  }
}

torch::Tensor perturbed(Net net, torch::Tensor x, torch::Tensor y) {
  net->eval(); // expect: ml-train-mode-not-restored (no fix)
  x = x.clone().detach().requires_grad_(true);
  net->zero_grad();
  torch::mse_loss(net(x), y).backward();
  return (x + 0.03 * x.grad()).detach();
}

void adversarial_training_bad(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    auto attack = perturbed(net, x, y);
    optimizer.zero_grad();
    torch::mse_loss(net(attack), y).backward();
    optimizer.step();
  }
}
