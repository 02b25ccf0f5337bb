// An optimizer that is a member, and methods that others call for each batch.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { linear = register_module("linear", torch::nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return linear(x); }
  torch::nn::Linear linear{nullptr};
};
TORCH_MODULE(Net);

class NeverCleared {
public:
  NeverCleared() : optimizer(net->parameters(), 0.1) {}
  double update(torch::Tensor x, torch::Tensor y) {
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad
    return loss.item<double>();
  }

private:
  Net net;
  torch::optim::SGD optimizer;
};

class ClearedBehind {
public:
  ClearedBehind() : optimizer(net->parameters(), 0.1) {}
  void update(torch::Tensor x, torch::Tensor y) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    optimizer.zero_grad();
  }

private:
  Net net;
  torch::optim::SGD optimizer;
};

class ClearedElsewhere {
public:
  ClearedElsewhere() : optimizer(net->parameters(), 0.1) {}
  void begin() { optimizer.zero_grad(); }
  void update(torch::Tensor x, torch::Tensor y) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }

private:
  Net net;
  torch::optim::SGD optimizer;
};

class ClearedByModule {
public:
  ClearedByModule() : optimizer(net->parameters(), 0.1) {}
  void begin() { net->zero_grad(); }
  void update(torch::Tensor x, torch::Tensor y) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }

private:
  Net net;
  torch::optim::SGD optimizer;
};
