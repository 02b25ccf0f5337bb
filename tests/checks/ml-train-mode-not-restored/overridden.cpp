// What is called is a method of the class that the object is of, or of one that is not abstract.
#include <torch/torch.h>

#include <memory>

using Net = torch::nn::Dropout;

class Trainer {
public:
  virtual ~Trainer() = default;
  void epoch(torch::Tensor x) {
    before();
    torch::Tensor loss = lossOf(x);
    loss.backward();
  }

protected:
  virtual torch::Tensor lossOf(torch::Tensor x) = 0;
  virtual void before() {}
};

struct DropoutTrainer : Trainer {
  explicit DropoutTrainer(Net net) : net(net) {}
  torch::Tensor lossOf(torch::Tensor x) override { return net(x).mean(); }
  void before() override { net->train(); }
  Net net;
};

static double validate(Net &net, torch::Tensor x) {
  net->eval();
  torch::NoGradGuard guard;
  return net(x).mean().item<double>();
}

void object_ok(torch::Tensor x) {
  Net net(0.5);
  DropoutTrainer trainer(net);
  for (int i = 0; i < 10; ++i) {
    trainer.epoch(x);
    validate(net, x);
  }
}

void made_ok(torch::Tensor x) {
  Net net(0.5);
  std::unique_ptr<Trainer> trainer = std::make_unique<DropoutTrainer>(net);
  for (int i = 0; i < 10; ++i) {
    trainer->epoch(x);
    validate(net, x);
  }
}

// Both are whole: which one it is, the object tells.
struct Plain {
  explicit Plain(Net net) : net(net), optimizer(net->parameters(), 0.1) {}
  virtual ~Plain() = default;
  void epoch(torch::Tensor x) {
    before();
    torch::Tensor loss = net(x).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  virtual void before() {}
  Net net;
  torch::optim::SGD optimizer;
};
struct Switching : Plain {
  using Plain::Plain;
  void before() override { net->train(); }
};

void derived_ok(torch::Tensor x) {
  Net net(0.5);
  Switching trainer(net);
  for (int i = 0; i < 10; ++i) {
    trainer.epoch(x);
    validate(net, x);
  }
}

static double validatePlain(Net &net, torch::Tensor x) {
  net->eval(); // expect: ml-train-mode-not-restored (no fix)
  torch::NoGradGuard guard;
  return net(x).mean().item<double>();
}

void base_bad(torch::Tensor x) {
  Net net(0.5);
  Plain trainer(net);
  for (int i = 0; i < 10; ++i) {
    trainer.epoch(x);
    validatePlain(net, x);
  }
}
