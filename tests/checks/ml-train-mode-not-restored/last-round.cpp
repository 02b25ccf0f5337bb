// A condition that tells the last round of a loop from the others.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 8));
    dropout = register_module("dropout", torch::nn::Dropout(0.5));
  }
  torch::Tensor forward(torch::Tensor x) { return dropout(hidden(x)); }
  torch::nn::Linear hidden{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Net);
using Optimizer = torch::optim::Optimizer;

void train_once(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  optimizer.zero_grad();
  torch::mse_loss(net(x), y).backward();
  optimizer.step();
}

double evaluate(Net &net, torch::Tensor x, torch::Tensor y) {
  torch::NoGradGuard noGrad;
  return torch::mse_loss(net(x), y).item<double>();
}

void not_after_the_last_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y,
                           int epochs) {
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    train_once(net, optimizer, x, y);
    net->eval();
    evaluate(net, x, y);
    if (epoch != epochs)
      net->train();
  }
  evaluate(net, x, y);
}

void before_the_last_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y,
                        int epochs) {
  for (int epoch = 0; epoch < epochs; epoch++) {
    train_once(net, optimizer, x, y);
    net->eval();
    evaluate(net, x, y);
    if (epoch + 1 < epochs)
      net->train();
  }
  evaluate(net, x, y);
}

void leaves_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; epoch++) {
    train_once(net, optimizer, x, y);
    net->eval();
    evaluate(net, x, y);
    if (9 == epoch)
      continue;
    net->train();
  }
  evaluate(net, x, y);
}

void after_the_last_only_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y,
                             int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    train_once(net, optimizer, x, y);
    net->eval(); // expect: ml-train-mode-not-restored (no fix)
    evaluate(net, x, y);
    if (epoch == epochs - 1)
      net->train();
  }
}

void some_round_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    train_once(net, optimizer, x, y);
    net->eval(); // expect: ml-train-mode-not-restored (no fix)
    evaluate(net, x, y);
    if (epoch != epochs / 2)
      net->train();
  }
}

// The last round is that before `epochs`.
void other_bound_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    train_once(net, optimizer, x, y);
    net->eval(); // expect: ml-train-mode-not-restored (no fix)
    evaluate(net, x, y);
    if (epoch != epochs - 2)
      net->train();
  }
}

// The bound grows: that was not the last round.
void moving_bound_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    train_once(net, optimizer, x, y);
    net->eval(); // expect: ml-train-mode-not-restored (no fix)
    if (epoch != epochs - 1)
      net->train();
    if (evaluate(net, x, y) > 1)
      ++epochs;
  }
}
