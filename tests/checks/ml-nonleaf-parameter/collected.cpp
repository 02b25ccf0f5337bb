// Parameters of classes without the framework's modules, collected in lists.
#include <torch/torch.h>

#include <vector>

using torch::Tensor;

struct Leaf {
  Tensor weight, bias;
  Leaf(int64_t in, int64_t out) {
    weight = (torch::randn({out, in}) * 0.1).requires_grad_();
    bias = torch::zeros({out}, torch::requires_grad());
  }
  Tensor operator()(const Tensor &x) const { return x.mm(weight.t()) + bias; }
};

struct Scaled {
  Tensor weight, bias;
  Scaled(int64_t in, int64_t out) {
    weight = torch::randn({out, in}, torch::requires_grad()) * 0.1; // expect: ml-nonleaf-parameter (no fix): what is computed of a leaf is no leaf: the optimizer refuses it
    bias = torch::zeros({out}, torch::requires_grad());
  }
  Tensor operator()(const Tensor &x) const { return x.mm(weight.t()) + bias; }
};

void leaves_ok() {
  std::vector<Leaf> layers{Leaf(4, 8), Leaf(8, 1)};
  std::vector<Tensor> parameters;
  for (const auto &layer : layers) {
    parameters.push_back(layer.weight);
    parameters.push_back(layer.bias);
  }
  torch::optim::SGD optimizer(parameters, 0.1);
}

void activations_ok(Tensor x) {
  Leaf layer(4, 8);
  std::vector<Tensor> outputs;
  outputs.push_back(layer(x));
  std::vector<Tensor> parameters{layer.weight, layer.bias};
  torch::optim::SGD optimizer(parameters, 0.1);
  outputs.back().mean().backward();
}

void listed_bad() {
  auto weight = torch::randn({4, 4}, torch::requires_grad()) * 0.1; // expect: ml-nonleaf-parameter: what is computed of a leaf is no leaf
  auto bias = torch::zeros({4}, torch::requires_grad());
  std::vector<Tensor> parameters;
  parameters.push_back(weight);
  parameters.push_back(bias);
  torch::optim::SGD optimizer(parameters, 0.1); // note: given to the optimizer here
}


void collected_bad() {
  Scaled layer(4, 8);
  std::vector<Tensor> parameters;
  parameters.push_back(layer.weight);
  parameters.push_back(layer.bias);
  torch::optim::SGD optimizer(parameters, 0.1); // note: given to the optimizer here
}
