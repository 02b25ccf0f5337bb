// One function for training and evaluation: it sets the mode by the flag that decides on backward.
#include <string>
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

double run(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y, bool isTraining) {
  if (isTraining)
    net->train();
  else
    net->eval();
  torch::AutoGradMode mode(isTraining);
  auto loss = torch::mse_loss(net(x), y);
  if (isTraining) {
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  return loss.item<double>();
}
void mode_by_flag_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    run(net, optimizer, x, y, true);
    run(net, optimizer, x, y, false);
  }
}

double runByArgument(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y,
                     bool isTraining) {
  net->train(isTraining);
  auto output = net(x);
  auto loss = torch::mse_loss(output, y);
  if (isTraining) {
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  return loss.item<double>();
}
void mode_by_argument_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    runByArgument(net, optimizer, x, y, true);
    torch::NoGradGuard noGrad;
    runByArgument(net, optimizer, x, y, false);
  }
}

// The flag turns dropout off, and nothing turns it on again.
double runOff(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y, bool isTraining) {
  if (!isTraining)
    net->eval(); // expect: ml-train-mode-not-restored
  torch::AutoGradMode mode(isTraining);
  auto loss = torch::mse_loss(net(x), y);
  if (isTraining) {
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  return loss.item<double>();
}
void never_on_again_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    runOff(net, optimizer, x, y, true);
    runOff(net, optimizer, x, y, false);
  }
}

// The mode of the module, or what a member says, decides.
double runIfTraining(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  torch::AutoGradMode mode(net->is_training());
  auto loss = torch::mse_loss(net(x), y);
  if (net->is_training()) {
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  return loss.item<double>();
}
void mode_of_the_module_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->train();
    runIfTraining(net, optimizer, x, y);
    net->eval();
    runIfTraining(net, optimizer, x, y);
  }
}

class Runner {
public:
  void run_ok(torch::Tensor x, torch::Tensor y) {
    for (int epoch = 0; epoch < 10; ++epoch) {
      begin(true);
      handle(x, y);
      begin(false);
      handle(x, y);
    }
  }

private:
  void begin(bool training) {
    isTraining = training;
    net->train(training);
  }
  double handle(torch::Tensor x, torch::Tensor y) {
    torch::AutoGradMode mode(isTraining);
    auto loss = torch::mse_loss(net(x), y);
    if (isTraining) {
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }
    return loss.item<double>();
  }
  Net net;
  torch::optim::SGD optimizer{net->parameters(), 0.1};
  bool isTraining = true;
};

void by_name_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch)
    for (const std::string phase : {"train", "val"}) {
      if (phase == "train")
        net->train();
      else
        net->eval();
      optimizer.zero_grad();
      torch::AutoGradMode mode(phase == "train");
      auto loss = torch::mse_loss(net(x), y);
      if (phase == "train") {
        loss.backward();
        optimizer.step();
      }
    }
}
