// A training and an evaluation that override the steps of one loop.
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <vector>

struct NetImpl : torch::nn::Module {
  torch::nn::Linear linear{register_module("linear", torch::nn::Linear(3, 3))};
  torch::nn::BatchNorm1d norm{register_module("norm", torch::nn::BatchNorm1d(3))};
  torch::Tensor forward(torch::Tensor x) { return norm(linear(x)); }
};
TORCH_MODULE(Net);

class Run {
public:
  explicit Run(Net net) : net(net) {}
  virtual ~Run() = default;

  void epoch(const std::vector<torch::Tensor> &batches) {
    begin();
    for (const auto &batch : batches)
      process(batch);
  }

protected:
  virtual void begin() {
    net->eval();
    torch::GradMode::set_enabled(false);
  }
  virtual void process(torch::Tensor batch) { std::cout << loss(batch).item<float>(); }
  torch::Tensor loss(torch::Tensor batch) { return torch::mse_loss(net(batch), batch); }

  Net net;
};

class Training : public Run {
public:
  Training(Net net) : Run(net), optimizer(net->parameters(), 0.1) {}

protected:
  void begin() override {
    net->train();
    torch::GradMode::set_enabled(true);
  }
  void process(torch::Tensor batch) override {
    optimizer.zero_grad();
    loss(batch).backward();
    optimizer.step();
  }

private:
  torch::optim::SGD optimizer;
};

int main() {
  Net net;
  Training training(net);
  Run evaluation(net);
  const std::vector<torch::Tensor> batches(10, torch::ones({4, 3}));
  for (int i = 0; i < 10; ++i) {
    training.epoch(batches);
    evaluation.epoch(batches);
  }
}
