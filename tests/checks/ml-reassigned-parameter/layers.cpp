// The tensors of the framework's layers.
#include <torch/torch.h>

#include <map>
#include <string>

namespace nn = torch::nn;

void assigned_bad(nn::Linear layer, torch::Tensor weight) {
  layer->weight = weight; // expect: ml-reassigned-parameter (no fix): 'weight' is replaced, but the layer has registered the old one
  layer->bias = torch::zeros({4}); // expect: ml-reassigned-parameter (no fix): 'bias' is replaced
}

void scaled_bad(nn::Linear &layer) {
  torch::NoGradGuard guard;
  layer->weight = layer->weight * 0.1; // expect: ml-reassigned-parameter (no fix)
}

void loaded_bad(nn::Linear layer, std::map<std::string, torch::Tensor> &weights) {
  layer->weight = weights["weight"]; // expect: ml-reassigned-parameter (no fix)
}

struct Net : nn::Module {
  Net() {
    fc = register_module("fc", nn::Linear(4, 4));
    fc->weight = torch::randn({4, 4}, torch::requires_grad()); // expect: ml-reassigned-parameter (no fix)
  }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  nn::Linear fc{nullptr};
};

// ---- in place

void in_place_ok(nn::Linear layer, torch::Tensor weight) {
  torch::NoGradGuard guard;
  layer->weight.copy_(weight);
  layer->weight.set_data(weight);
  layer->weight.data() = weight;
  layer->weight *= 0.5;
}

// ---- tied weights

struct Tied : nn::Module {
  Tied() {
    embedding = register_module("embedding", nn::Embedding(10, 4));
    output = register_module("output", nn::Linear(4, 10));
    output->weight = embedding->weight;
  }
  torch::Tensor forward(torch::Tensor x) { return output(embedding(x)); }
  nn::Embedding embedding{nullptr};
  nn::Linear output{nullptr};
};

// ---- what is computed for each pass

struct Normalised : nn::Module {
  Normalised() {
    fc = register_module("fc", nn::Linear(4, 4));
    direction = register_parameter("direction", torch::randn({4, 4}));
  }
  torch::Tensor forward(torch::Tensor x) {
    fc->weight = direction / direction.norm();
    return fc(x);
  }
  nn::Linear fc{nullptr};
  torch::Tensor direction;
};

// The module registers what its layers compute with, and not the layers.
struct Shared : nn::Module {
  Shared() : layer(nn::Linear(4, 4)) {
    layer->weight = torch::zeros({4, 4}, torch::requires_grad());
    layer->bias = torch::zeros({4}, torch::requires_grad()); // expect: ml-reassigned-parameter (no fix)
    register_parameter("weight", layer->weight);
  }
  torch::Tensor forward(torch::Tensor x) { return layer(x); }
  nn::Linear layer;
};

// ---- tensors of other classes

struct Record {
  torch::Tensor weight;
};
void record_ok(Record &record, torch::Tensor weight) { record.weight = weight; }

// ---- what is given back is the tensor itself

torch::Tensor copied(torch::Tensor left, const torch::Tensor &right) {
  torch::NoGradGuard guard;
  left.copy_(right);
  return left;
}

void given_back_ok(torch::nn::Linear &linear, torch::nn::LinearImpl &first, torch::Tensor weight) {
  linear->weight = copied(linear->weight, weight);
  linear->bias = copied(linear->bias, weight[0]);
  first.weight = copied(first.weight, weight.t());
}
