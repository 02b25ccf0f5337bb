// Copies of loaded modules, which share the parameters of the original.
#include <torch/torch.h>

#if __has_include(<torch/script.h>)
#include <torch/script.h>
#endif

#include <string>

using Script = torch::jit::Module;

static std::vector<torch::Tensor> parametersOf(const Script &model) {
  std::vector<torch::Tensor> parameters;
  for (const auto &each : model.parameters())
    parameters.push_back(each);
  return parameters;
}

static double epoch(Script &model, torch::optim::Optimizer &optimizer, const torch::Tensor &x) {
  optimizer.zero_grad();
  auto loss = model.forward({x}).toTensor().mean();
  loss.backward();
  optimizer.step();
  return loss.item<double>();
}

void best_bad(Script model, torch::Tensor x, const std::string &file) {
  torch::optim::SGD optimizer(parametersOf(model), 0.1);
  double lowest = 1e9;
  Script best = model;
  for (int i = 0; i < 10; ++i)
    if (const double loss = epoch(model, optimizer, x); loss < lowest) {
      lowest = loss;
      best = model.copy(); // expect: ml-module-copy (level 1): kept as the best so far shares the parameters of 'model'
    }
  best.save(file);
}

void best_ok(Script model, torch::Tensor x, const std::string &file) {
  torch::optim::SGD optimizer(parametersOf(model), 0.1);
  double lowest = 1e9;
  Script best = model;
  for (int i = 0; i < 10; ++i)
    if (const double loss = epoch(model, optimizer, x); loss < lowest) {
      lowest = loss;
      best = model.deepcopy();
    }
  best.save(file);
}

// clone() copies the tensors, too.
void clone_ok(Script model, torch::Tensor x, const std::string &file) {
  torch::optim::SGD optimizer(parametersOf(model), 0.1);
  double lowest = 1e9;
  Script best = model;
  for (int i = 0; i < 10; ++i)
    if (const double loss = epoch(model, optimizer, x); loss < lowest) {
      lowest = loss;
      best = model.clone();
    }
  best.save(file);
}
