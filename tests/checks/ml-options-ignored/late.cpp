// Numbers that change when the optimizer has taken them.
#include <torch/torch.h>

#include <iostream>

using torch::Tensor;

void decays_bad(torch::nn::Linear net, Tensor x, Tensor y) {
  double rate = 0.1;
  torch::optim::SGD solver(net->parameters(), torch::optim::SGDOptions(rate).momentum(0.9)); // note: takes the number here
  for (int epoch = 0; epoch < 9; ++epoch) {
    solver.zero_grad();
    torch::mse_loss(net(x), y).backward();
    solver.step();
    std::cout << "rate " << rate << '\n';
    rate *= 0.9; // expect: ml-options-ignored (no fix) (level 1): 'rate' changes
  }
}

void set_ok(torch::nn::Linear net, Tensor x, Tensor y) {
  double rate = 0.1;
  torch::optim::SGD solver(net->parameters(), torch::optim::SGDOptions(rate));
  for (int epoch = 0; epoch < 9; ++epoch) {
    solver.zero_grad();
    torch::mse_loss(net(x), y).backward();
    solver.step();
    rate *= 0.9;
    for (auto &group : solver.param_groups())
      static_cast<torch::optim::SGDOptions &>(group.options()).lr(rate);
  }
}

void made_anew_ok(torch::nn::Linear net, Tensor x, Tensor y) {
  double rate = 0.1;
  for (int epoch = 0; epoch < 9; ++epoch) {
    torch::optim::SGD solver(net->parameters(), rate);
    for (int step = 0; step < 9; ++step) {
      solver.zero_grad();
      torch::mse_loss(net(x), y).backward();
      solver.step();
    }
    rate *= 0.9;
  }
}

void before_ok(torch::nn::Linear net, Tensor x, Tensor y, bool large) {
  double rate = 0.1;
  if (large)
    rate = 0.2;
  torch::optim::SGD solver(net->parameters(), rate);
  for (int epoch = 0; epoch < 9; ++epoch) {
    solver.zero_grad();
    torch::mse_loss(net(x), y).backward();
    solver.step();
  }
}

void assigned_where_set_ok(torch::nn::Linear net, Tensor x, Tensor y) {
  double rate = 0.1;
  torch::optim::SGD solver(net->parameters(), torch::optim::SGDOptions(rate));
  for (int epoch = 0; epoch < 9; ++epoch) {
    solver.zero_grad();
    torch::mse_loss(net(x), y).backward();
    solver.step();
    for (auto &group : solver.param_groups())
      static_cast<torch::optim::SGDOptions &>(group.options()).lr(rate *= 0.9);
  }
}

void warmed_up_ok(torch::nn::Linear net, torch::optim::SGD &first, Tensor x, Tensor y) {
  double rate = 0.1;
  for (int epoch = 0; epoch < 9; ++epoch) {
    first.zero_grad();
    torch::mse_loss(net(x), y).backward();
    first.step();
    rate *= 0.9;
  }
  torch::optim::SGD solver(net->parameters(), torch::optim::SGDOptions(rate));
  for (int epoch = 0; epoch < 9; ++epoch) {
    solver.zero_grad();
    torch::mse_loss(net(x), y).backward();
    solver.step();
  }
}
