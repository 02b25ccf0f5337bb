// Optimizers that are members: what is seen of the class decides.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { linear = register_module("linear", torch::nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return linear(x); }
  torch::nn::Linear linear{nullptr};
};
TORCH_MODULE(Net);

class Learner {
public:
  Learner()
      : actorOptimizer(actor->parameters(), 0.1),
        criticOptimizer(std::make_unique<torch::optim::SGD>(critic->parameters(), 0.1)) {}
  void update(torch::Tensor x, torch::Tensor y) {
    auto loss = torch::mse_loss(critic(x), y);
    loss.backward();
    criticOptimizer->step(); // expect: ml-missing-zero-grad
    actorOptimizer.zero_grad();
    critic(actor(x)).mean().backward();
    actorOptimizer.step();
  }

private:
  Net actor, critic;
  torch::optim::SGD actorOptimizer;
  std::unique_ptr<torch::optim::SGD> criticOptimizer;
};

// Others may clear them, between the calls.
struct Open {
  void update(torch::Tensor x, torch::Tensor y) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad (level 2)
  }
  Net net;
  torch::optim::SGD optimizer{net->parameters(), 0.1};
};

class HandedOut {
public:
  HandedOut() : optimizer(net->parameters(), 0.1) {}
  torch::optim::Optimizer &its() { return optimizer; }
  void update_ok(torch::Tensor x, torch::Tensor y) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }

private:
  Net net;
  torch::optim::SGD optimizer;
};

class SeenInPart {
public:
  SeenInPart();
  void begin();
  void update_ok(torch::Tensor x, torch::Tensor y) {
    torch::mse_loss(net(x), y).backward();
    optimizer->step();
  }

private:
  Net net;
  std::unique_ptr<torch::optim::SGD> optimizer;
};

class CalledOnce {
public:
  CalledOnce() : optimizer(net->parameters(), 0.1) {}
  void update_ok(torch::Tensor x, torch::Tensor y) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }

private:
  Net net;
  torch::optim::SGD optimizer;
};

void once(torch::Tensor x, torch::Tensor y) {
  CalledOnce it;
  it.update_ok(x, y);
}

class Base {
public:
  virtual ~Base() = default;
  virtual void update(torch::Tensor x, torch::Tensor y) = 0;
};
class First : public Base {
public:
  First() : optimizer(net->parameters(), 0.1) {}
  void update(torch::Tensor x, torch::Tensor y) override {
    torch::mse_loss(net(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }

private:
  Net net;
  torch::optim::SGD optimizer;
};
class Second : public Base {
public:
  Second() : optimizer(net->parameters(), 0.1) {}
  void update(torch::Tensor x, torch::Tensor y) override {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }

private:
  Net net;
  torch::optim::SGD optimizer;
};

void learn(Base &learner, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 10; ++i)
    learner.update(x, y);
}
