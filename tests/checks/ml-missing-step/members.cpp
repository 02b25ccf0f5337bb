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

namespace {
class Public {
public:
  explicit Public(Net net) : net(net), optimizer(net->parameters(), 0.1) {}
  void fit(const std::vector<torch::Tensor> &inputs) {
    for (const auto &x : inputs) {
      optimizer.zero_grad(); // expect: ml-missing-step
      net(x).mean().backward(); // note: this backward computes them
    }
  }
  Net net;
  torch::optim::SGD optimizer;
};

} // namespace

class PublicStepped {
public:
  explicit PublicStepped(Net net) : net(net), optimizer(net->parameters(), 0.1) {}
  void gather(const std::vector<torch::Tensor> &inputs) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
    }
  }
  Net net;
  torch::optim::SGD optimizer;
};
void stepByOthers(PublicStepped &all) { all.optimizer.step(); }

namespace {
struct Rest {
  torch::optim::SGD &optimizer;
  Net &net;
  void gather(const torch::Tensor &x) {
    optimizer.zero_grad(); // expect: ml-missing-step
    net(x).mean().backward(); // note: this backward computes them
  }
};
} // namespace
void by_a_struct_with_references(Net net, const std::vector<torch::Tensor> &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (const auto &x : inputs)
    Rest{optimizer, net}.gather(x);
}

struct RestAndStep {
  torch::optim::SGD &optimizer;
  Net &net;
  void gather(const torch::Tensor &x) {
    optimizer.zero_grad();
    net(x).mean().backward();
  }
  void finish() { optimizer.step(); }
};
void by_a_struct_that_steps(Net net, const std::vector<torch::Tensor> &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  RestAndStep rest{optimizer, net};
  for (const auto &x : inputs) {
    rest.gather(x);
    rest.finish();
  }
}

static void gather(torch::optim::SGD &optimizer, Net net, const std::vector<torch::Tensor> &inputs) {
  for (const auto &x : inputs) {
    optimizer.zero_grad(); // expect: ml-missing-step
    net(x).mean().backward(); // note: this backward computes them
  }
}
void by_a_function(Net net, const std::vector<torch::Tensor> &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  gather(optimizer, net, inputs);
}

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
