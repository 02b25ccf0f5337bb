// Elements of lists that functions make.
#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

using torch::Tensor;

void parameter_bad(torch::nn::Linear target, torch::nn::Linear source) {
  for (size_t i = 0; i < target->parameters().size(); ++i)
    target->parameters()[i] = source->parameters()[i]; // expect: ml-rebound-handle (no fix) (level 0): made for this statement alone
}

void named_bad(torch::nn::Linear net, Tensor value) {
  net->named_parameters()["weight"] = value;      // expect: ml-rebound-handle (no fix) (level 0)
  net->named_parameters()[0].value() = value;     // expect: ml-rebound-handle (no fix) (level 0)
  net->parameters().at(0) = value.clone();        // expect: ml-rebound-handle (no fix) (level 0)
  net->buffers().front() = torch::zeros({2, 2});  // expect: ml-rebound-handle (no fix) (level 0)
}

std::vector<Tensor> copies();
void of_a_function_bad(Tensor value) {
  copies()[0] = value; // expect: ml-rebound-handle (no fix) (level 0)
}

// ---- changes of the tensor

void in_place_ok(torch::nn::Linear net, Tensor value) {
  torch::NoGradGuard guard;
  net->parameters()[0].copy_(value);
  net->parameters()[0] += value;
  net->parameters()[0].data() = value; // An assignment to what is no variable copies.
  net->parameters()[0].set_data(value);
  net->parameters()[0][1] = value;
  net->parameters()[0].mutable_grad() = value;
}

// ---- lists that live on

struct Store {
  std::vector<Tensor> &all();
  Tensor &first();
  std::vector<Tensor *> pointers();
  std::map<std::string, Tensor> tensors;
};
void copy_named_bad(torch::nn::Linear target, torch::nn::Linear source) {
  auto parameters = target->parameters();
  auto others = source->parameters();
  auto device = parameters.front().device();
  for (size_t i = 0; i < parameters.size(); ++i)
    parameters[i] = others[i].to(device); // expect: ml-rebound-handle (no fix) (level 0): 'parameters' is a list
}

void average_named_bad(torch::nn::Linear target, torch::nn::Linear source) {
  auto parameters = target->parameters();
  for (size_t i = 0; i < parameters.size(); ++i)
    parameters[i] = parameters[i] * 0.9 + source->parameters()[i] * 0.1; // expect: ml-rebound-handle (no fix)
}

struct Own : torch::nn::Module {
  std::vector<torch::Tensor> parameters(bool recurse = true) const;
  void copy(const Own &other) {
    auto mine = parameters();
    auto others = other.parameters();
    for (size_t i = 0; i < mine.size(); ++i)
      mine[i] = others[i]; // expect: ml-rebound-handle (no fix): 'mine' is a list of handles
  }
};

bool by_value_bad(std::vector<Tensor> from, std::vector<Tensor> to) {
  for (size_t i = 0; i < from.size(); ++i)
    to[i] = from[i].clone(); // expect: ml-rebound-handle (no fix) (level 1): a copy of the caller's list
  return !to.empty();
}

std::vector<Tensor> returned_ok(std::vector<Tensor> list) {
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = list[i].detach();
  return list;
}

void released_ok(std::vector<Tensor> list) {
  list[0] = Tensor();
}

Tensor read_ok(std::vector<Tensor> list, Tensor value) {
  list[0] = value;
  return torch::stack(list);
}

void of_the_caller_ok(std::vector<Tensor> &list, std::vector<Tensor> *other, Tensor value) {
  list[0] = value;
  (*other)[0] = value;
}

void changed_ok(std::vector<Tensor> list, Tensor value) {
  list[0] += value;
  list[1].copy_(value);
}

void named_ok(torch::nn::Linear net, torch::Tensor value) {
  auto parameters = net->parameters();
  parameters[0] = value;
  torch::optim::SGD optimizer(parameters, 0.1);
  auto changed = net->parameters();
  changed[0][1] = value;
  changed[0].data() = value;
}

void kept_ok(Store &store, torch::nn::Linear net, Tensor value) {
  store.all()[0] = value;
  store.first() = value;
  *store.pointers()[0] = value;
  store.tensors["a"] = value;
  auto parameters = net->parameters();
  parameters[0] = value;
  parameters[0].print();
}

Tensor read_ok(torch::nn::Linear net, Tensor value) {
  Tensor read = net->parameters()[0] = value;
  return read;
}

// --- through what leads into the list --------------------------------------------------------------

void found_bad(torch::nn::Linear net, torch::nn::Linear other) {
  auto parameters = net->named_parameters();
  for (auto &item : other->named_parameters()) {
    auto found = parameters.find(item.key());
    if (found != nullptr)
      *found = *found + item.value(); // expect: ml-rebound-handle (no fix) (level 0): one of handles
  }
}

void items_bad(torch::nn::Linear net) {
  auto parameters = net->named_parameters();
  for (auto &item : parameters)
    item.value() = item.value() * 0.5; // expect: ml-rebound-handle (no fix) (level 0): one of handles
}

void references_bad(torch::nn::Linear net, torch::Tensor value) {
  auto parameters = net->parameters();
  for (auto &parameter : parameters)
    parameter = value; // expect: ml-rebound-handle (no fix) (level 0): one of handles
}

void handed_on_ok(torch::nn::Linear net, std::vector<torch::Tensor> &kept) {
  auto parameters = net->parameters();
  for (auto &parameter : parameters)
    parameter = parameter.detach();
  kept = parameters;
}

void items_kept_ok(torch::nn::Linear net, std::vector<torch::Tensor> &kept) {
  auto parameters = net->named_parameters();
  for (auto &item : parameters) {
    item.value() = item.value().clone();
    kept.push_back(item.value());
  }
}
