// Modules whose train(), which eval() calls, disables the gradients of their parameters, too.
#include <torch/torch.h>

#include <memory>

struct Model : torch::nn::Module {
  virtual torch::Tensor forward(torch::Tensor x) = 0;
  void train(bool on = true) override {
    for (auto &parameter : parameters())
      parameter.set_requires_grad(on);
    torch::nn::Module::train(on);
  }
};

// The parts do it.
struct PairImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return second->forward(first->forward(x)); }
  void train(bool on = true) override {
    first->train(on);
    second->train(on);
  }
  std::shared_ptr<Model> first, second;
};
TORCH_MODULE(Pair);

// Out of sight.
struct Distant : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x);
  void train(bool on = true) override;
};

struct Noted : torch::nn::Module {
  Noted() { layer = register_module("layer", torch::nn::Linear(2, 2)); }
  torch::Tensor forward(torch::Tensor x) { return layer(x).relu(); }
  void train(bool on = true) override {
    ++changes;
    torch::nn::Module::train(on);
  }
  torch::nn::Linear layer{nullptr};
  int changes = 0;
};

float evaluate_ok(const std::shared_ptr<Model> &model, torch::Tensor x) {
  model->eval();
  return model->forward(x).sum().item<float>();
}

float switchOff_ok(Model &model, torch::Tensor x) {
  model.train(false);
  return model.forward(x).sum().item<float>();
}

// By its caller, perhaps.
float score_ok(Model &model, torch::Tensor x) { return model.forward(x).sum().item<float>(); }

float evaluatePair_ok(Pair pair, torch::Tensor x) {
  pair->eval();
  return pair->forward(x).sum().item<float>();
}

float evaluateDistant_ok(Distant &model, torch::Tensor x) {
  model.eval();
  return model.forward(x).sum().item<float>();
}

float evaluate_bad(Model &model, torch::Tensor x) {
  model.train();
  return model.forward(x).sum().item<float>(); // expect: ml-missing-no-grad
}

float evaluateNoted_bad(Noted &model, torch::Tensor x) {
  model.eval();
  return model.forward(x).sum().item<float>(); // expect: ml-missing-no-grad
}
