// Parameters that one optimizer gets twice.
#include <torch/torch.h>

#include <utility>

namespace nn = torch::nn;
using torch::optim::Adam;
using torch::optim::OptimizerParamGroup;
using torch::optim::SGD;
using torch::optim::SGDOptions;

struct NetImpl : nn::Module {
  NetImpl() {
    body = register_module("body", nn::Linear(4, 4));
    head = register_module("head", nn::Linear(4, 4));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(body(x))); }
  nn::Linear body{nullptr}, head{nullptr};
};
TORCH_MODULE(Net);

void inserted_bad(Net net) {
  auto parameters = net->parameters();
  auto more = net->parameters();
  parameters.insert(parameters.end(), more.begin(), more.end()); // expect: ml-registered-twice (no fix): these parameters are in the list already: the optimizer steps them twice
  Adam optimizer(parameters, 0.1);
}

void part_bad() {
  Net net;
  auto parameters = net->parameters();
  auto head = net->head->parameters();
  parameters.insert(parameters.end(), head.begin(), head.end()); // expect: ml-registered-twice
  Adam optimizer(parameters, 0.1);
}

void groups_bad(Net net) {
  std::vector<OptimizerParamGroup> groups;
  groups.push_back(OptimizerParamGroup(net->parameters()));
  groups.push_back(OptimizerParamGroup(net->parameters())); // expect: ml-registered-twice
  SGD optimizer(groups, SGDOptions(0.1));
}

void braces_bad(Net net) {
  std::vector<OptimizerParamGroup> groups{net->parameters(), net->parameters()}; // expect: ml-registered-twice
  SGD optimizer(groups, SGDOptions(0.1));
}

void added_bad(Net net) {
  SGD optimizer(net->parameters(), 0.1);
  optimizer.add_param_group(OptimizerParamGroup(net->parameters())); // expect: ml-registered-twice: the optimizer has these parameters already: it steps them twice
}

struct Trainer {
  explicit Trainer(Net model) : net(std::move(model)), optimizer(all(), 0.1) {}
  std::vector<torch::Tensor> all() {
    auto parameters = net->parameters();
    append(parameters, net->parameters());
    return parameters;
  }
  static void append(std::vector<torch::Tensor> &list, const std::vector<torch::Tensor> &more) {
    list.insert(list.end(), more.begin(), more.end()); // expect: ml-registered-twice
  }
  Net net;
  Adam optimizer;
};

struct TiedBadImpl : nn::Module {
  TiedBadImpl() {
    weight = register_parameter("weight", torch::randn({4, 4}));
    decoder = register_parameter("decoder", weight); // expect: ml-registered-twice: this tensor is registered already, so parameters() lists it twice: the optimizer steps it twice
  }
  torch::Tensor weight, decoder;
};
TORCH_MODULE(TiedBad);

void tied_bad() {
  TiedBad net;
  Adam optimizer(net->parameters(), 0.1);
}

// ---- once

void parts_ok(Net net) {
  auto parameters = net->body->parameters();
  auto head = net->head->parameters();
  parameters.insert(parameters.end(), head.begin(), head.end());
  Adam optimizer(parameters, 0.1);
}

void two_ok(Net net, Net other) {
  std::vector<OptimizerParamGroup> groups;
  groups.push_back(OptimizerParamGroup(net->body->parameters()));
  groups.push_back(OptimizerParamGroup(net->head->parameters()));
  groups.push_back(OptimizerParamGroup(other->parameters()));
  SGD optimizer(groups, SGDOptions(0.1));
}

void split_ok(Net net) {
  std::vector<torch::Tensor> decayed, others;
  for (const auto &parameter : net->named_parameters())
    (parameter.value().dim() > 1 ? decayed : others).push_back(parameter.value());
  std::vector<OptimizerParamGroup> groups;
  groups.push_back(OptimizerParamGroup(decayed));
  groups.push_back(OptimizerParamGroup(others));
  SGD optimizer(groups, SGDOptions(0.1));
  SGD other(decayed, 0.1);
  other.add_param_group(OptimizerParamGroup(others));
}

void filtered_ok(Net net) {
  auto parameters = net->parameters();
  parameters.erase(parameters.begin(), parameters.begin() + 2);
  auto more = net->body->parameters();
  parameters.insert(parameters.end(), more.begin(), more.end());
  Adam optimizer(parameters, 0.1);
}

void each_ok() {
  std::vector<torch::Tensor> parameters;
  for (int i = 0; i < 3; ++i) {
    Net net;
    auto more = net->parameters();
    parameters.insert(parameters.end(), more.begin(), more.end());
  }
  Adam optimizer(parameters, 0.1);
}

void own_optimizers_ok(Net net) {
  SGD first(net->parameters(), 0.1);
  SGD second(net->parameters(), 0.1);
}

void chosen_ok(Net net, bool isFirst) {
  auto parameters = isFirst ? net->body->parameters() : net->head->parameters();
  auto head = net->head->parameters();
  parameters.insert(parameters.end(), head.begin(), head.end());
  Adam optimizer(parameters, 0.1);
}

/// Shared and never given to an optimizer: a table for lookups.
struct TiedImpl : nn::Module {
  TiedImpl() {
    weight = register_parameter("weight", torch::randn({4, 4}));
    decoder = register_parameter("decoder", weight);
  }
  torch::Tensor weight, decoder;
};
TORCH_MODULE(Tied);

torch::Tensor look_up_ok(Tied net, torch::Tensor x) { return torch::mm(x, net->weight); }
