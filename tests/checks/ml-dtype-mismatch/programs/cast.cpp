// Modules whose weights the program has made doubles.
#include <torch/torch.h>

struct Rates : torch::nn::Module {
  torch::nn::Linear layer{nullptr};
  Rates() { layer = register_module("layer", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) {
    return torch::tanh(layer(x)); // expect: ml-dtype-mismatch (level 0): the layer has weights of float64, but 'x' is float32
  }
};

struct SameRates : torch::nn::Module {
  torch::nn::Linear layer{nullptr};
  SameRates() { layer = register_module("layer", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return torch::tanh(layer(x)); }
};

void cast_bad() {
  torch::NoGradGuard guard;
  Rates rates;
  rates.to(torch::kDouble);
  rates.eval();
  std::cout << rates.forward(torch::ones({1, 4}, torch::kFloat));
}

void cast_ok() {
  torch::NoGradGuard guard;
  SameRates rates, others;
  rates.to(torch::kDouble);
  rates.eval();
  std::cout << rates.forward(torch::ones({1, 4}, torch::kDouble))
            << others.forward(torch::ones({1, 4}, torch::kFloat));
}
