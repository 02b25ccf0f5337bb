// Optimizers that are members.
#include <torch/torch.h>

using Net = torch::nn::Linear;

class Forgetful {
public:
  explicit Forgetful(Net net) : net(net), optimizer(net->parameters(), 0.1) {}
  void fit(const std::vector<torch::Tensor> &inputs) {
    for (const auto &x : inputs) {
      optimizer.zero_grad(); // expect: ml-missing-step
      net(x).mean().backward(); // note: this backward computes them
    }
  }

private:
  Net net;
  torch::optim::SGD optimizer;
};

class Stepping {
public:
  explicit Stepping(Net net) : net(net), optimizer(net->parameters(), 0.1) {}
  void fit(const std::vector<torch::Tensor> &inputs) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      finish();
    }
  }
  void gather(const std::vector<torch::Tensor> &inputs) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
    }
  }

private:
  void finish() { optimizer.step(); }
  Net net;
  torch::optim::SGD optimizer;
};

class Public {
public:
  explicit Public(Net net) : net(net), optimizer(net->parameters(), 0.1) {}
  void fit(const std::vector<torch::Tensor> &inputs) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
    }
  }
  Net net;
  torch::optim::SGD optimizer;
};

class Given {
public:
  explicit Given(Net net) : net(net), optimizer(net->parameters(), 0.1) {}
  torch::optim::Optimizer &get() { return optimizer; }
  void fit(const std::vector<torch::Tensor> &inputs) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
    }
  }

private:
  Net net;
  torch::optim::SGD optimizer;
};

class Elsewhere {
public:
  explicit Elsewhere(Net net) : net(net), optimizer(net->parameters(), 0.1) {}
  void fit(const std::vector<torch::Tensor> &inputs) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
    }
  }
  void step();

private:
  Net net;
  torch::optim::SGD optimizer;
};
