// Parameters of classes without the framework's modules, collected in lists.
#include <torch/torch.h>

#include <array>
#include <map>
#include <memory>
#include <string>
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
    weight = torch::randn({out, in}, torch::requires_grad()) * 0.1; // note: it is computed here
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
  torch::optim::SGD optimizer(parameters, 0.1); // expect: ml-nonleaf-parameter (no fix): what is computed of a leaf is no leaf: the optimizer refuses it
}

struct Network {
  std::vector<Scaled> layers;
  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all;
    for (const auto &layer : layers) {
      all.push_back(layer.weight);
      all.push_back(layer.bias);
    }
    return all;
  }
};

void list_of_objects_bad() {
  Network network{{Scaled(4, 8), Scaled(8, 1)}};
  torch::optim::SGD optimizer(network.parameters(), 0.1); // expect: ml-nonleaf-parameter (no fix)
}

struct Pair {
  Tensor weight, scaled;
};

void other_field_ok() {
  std::vector<Pair> pairs{{torch::ones({2}, torch::requires_grad()), Tensor()},
                          {torch::zeros({2}, torch::requires_grad()), Tensor()}};
  for (auto &pair : pairs)
    pair.scaled = pair.weight * 2;
  std::vector<Tensor> parameters;
  for (const auto &pair : pairs)
    parameters.push_back(pair.weight);
  torch::optim::SGD optimizer(parameters, 0.1);
}

template <typename Layers> std::vector<Tensor> parametersOf(const Layers &layers) {
  std::vector<Tensor> all;
  for (const auto &layer : layers) {
    all.push_back(layer.weight);
    all.push_back(layer.bias);
  }
  return all;
}

struct Pushed {
  std::vector<Scaled> layers;
  Pushed() {
    layers.push_back(Scaled(4, 8));
    layers.push_back(Scaled(8, 1));
  }
};

void pushed_by_the_constructor_bad() {
  Pushed network;
  torch::optim::SGD optimizer(parametersOf(network.layers), 0.1); // expect: ml-nonleaf-parameter (no fix)
}

struct Emplaced {
  std::vector<Scaled> layers;
  explicit Emplaced(const std::vector<int64_t> &sizes) {
    for (size_t i = 0; i + 1 < sizes.size(); ++i)
      layers.emplace_back(sizes[i], sizes[i + 1]);
  }
};

void emplaced_bad() {
  Emplaced network({4, 8, 1});
  torch::optim::SGD optimizer(parametersOf(network.layers), 0.1); // expect: ml-nonleaf-parameter (no fix)
}

void emplaced_leaves_ok() {
  std::vector<Leaf> layers;
  layers.emplace_back(4, 8);
  layers.emplace_back(8, 1);
  torch::optim::SGD optimizer(parametersOf(layers), 0.1);
}

void behind_pointers_bad() {
  std::vector<std::shared_ptr<Scaled>> layers;
  layers.push_back(std::make_shared<Scaled>(4, 8));
  std::vector<Tensor> parameters;
  for (size_t i = 0; i < layers.size(); ++i)
    parameters.push_back(layers[i]->weight);
  torch::optim::SGD optimizer(parameters, 0.1); // expect: ml-nonleaf-parameter (no fix)
}

void in_an_array_bad() {
  std::array<Scaled, 2> layers{Scaled(4, 8), Scaled(8, 1)};
  std::vector<Tensor> parameters;
  for (size_t i = 0; i < layers.size(); ++i)
    parameters.push_back(layers[i].weight);
  torch::optim::SGD optimizer(parameters, 0.1); // expect: ml-nonleaf-parameter (no fix)
}

void in_a_map_bad() {
  std::map<std::string, Scaled> layers;
  layers.emplace("first", Scaled(4, 8));
  std::vector<Tensor> parameters;
  for (const auto &[name, layer] : layers)
    parameters.push_back(layer.weight);
  torch::optim::SGD optimizer(parameters, 0.1); // expect: ml-nonleaf-parameter (no fix)
}

void behind_pointers_in_a_map_bad() {
  std::map<std::string, std::shared_ptr<Scaled>> layers;
  layers["first"] = std::make_shared<Scaled>(4, 8);
  std::vector<Tensor> parameters;
  for (const auto &[name, layer] : layers)
    parameters.push_back(layer->weight);
  torch::optim::SGD optimizer(parameters, 0.1); // miss: ml-nonleaf-parameter: a handle in a map is a name of its own
}
