// Modules that functions return, by value or by handle.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  torch::nn::Dropout drop = register_module("drop", torch::nn::Dropout());
  torch::Tensor forward(torch::Tensor x) { return drop(x); }
};

NetImpl makeNet(int64_t classes);
std::shared_ptr<NetImpl> makeShared(int64_t classes);
std::shared_ptr<NetImpl> &currentNet();

void by_value(torch::optim::Optimizer &optimizer, torch::Tensor x) {
  NetImpl net = makeNet(10);
  net.train();
  for (int epoch = 0; epoch < 9; ++epoch) {
    optimizer.zero_grad();
    net.forward(x).mean().backward();
    optimizer.step();
    net.eval(); // expect: ml-train-mode-not-restored
  }
}
void by_handle(torch::optim::Optimizer &optimizer, torch::Tensor x) {
  auto net = makeShared(10);
  for (int epoch = 0; epoch < 9; ++epoch) {
    optimizer.zero_grad();
    net->forward(x).mean().backward();
    optimizer.step();
    net->eval(); // expect: ml-train-mode-not-restored
  }
}
void by_handle_ok(torch::optim::Optimizer &optimizer, torch::Tensor x) {
  auto net = makeShared(10);
  for (int epoch = 0; epoch < 9; ++epoch) {
    net->train();
    optimizer.zero_grad();
    net->forward(x).mean().backward();
    optimizer.step();
    net->eval();
  }
}
// Which module it is the next time, nobody knows.
void getter_ok(torch::optim::Optimizer &optimizer, torch::Tensor x) {
  for (int epoch = 0; epoch < 9; ++epoch) {
    optimizer.zero_grad();
    currentNet()->forward(x).mean().backward();
    optimizer.step();
    currentNet()->eval();
  }
}
