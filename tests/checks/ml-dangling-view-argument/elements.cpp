// References to elements of lists that end.
#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

using torch::Tensor;

std::vector<Tensor> load();

void of_parameters_bad(torch::nn::Linear net) {
  auto &first = net->parameters()[0]; // expect: ml-dangling-view-argument: 'first' refers to
  first.sum();
  const Tensor &last = net->parameters().back(); // expect: ml-dangling-view-argument
  last.sum();
  auto &named = net->named_parameters()["weight"]; // expect: ml-dangling-view-argument
  named.sum();
  const auto &item = net->named_parameters()[0].value(); // expect: ml-dangling-view-argument
  item.sum();
}

void of_the_user_bad() {
  Tensor &first = load()[0]; // expect: ml-dangling-view-argument
  first.sum();
}

void items_bad(torch::nn::Linear net) {
  for (auto &item : net->named_parameters().items()) // expect: ml-dangling-view-argument
    item.value().sum();
}

void found_bad(torch::nn::Linear net) {
  auto *weight = net->named_parameters(false).find("weight"); // expect: ml-dangling-view-argument
  weight->sum();
  const Tensor *bias = net->named_parameters().find("bias"); // expect: ml-dangling-view-argument
  if (bias)
    bias->sum();
  weight = net->named_parameters().find("bias"); // expect: ml-dangling-view-argument: 'weight' refers
  weight->sum();
}

// --- silent

void found_ok(torch::nn::Linear net) {
  Tensor weight = *net->named_parameters().find("weight");
  auto parameters = net->named_parameters();
  auto *bias = parameters.find("bias");
  weight.sum(), bias->sum();
}

void copies_ok(torch::nn::Linear net) {
  auto first = net->parameters()[0];
  Tensor named = net->named_parameters()["weight"];
  first.sum(), named.sum();
}

void lists_ok(torch::nn::Linear net) {
  auto parameters = net->parameters();
  auto &first = parameters[0];
  first.sum();
  const auto &dictionary = net->named_parameters();
  for (auto &item : dictionary.items())
    item.value().sum();
}

void loops_ok(torch::nn::Linear net) {
  for (auto &parameter : net->parameters())
    parameter.sum();
  for (auto &item : net->named_parameters())
    item.value().sum();
  for (auto &pair : net->named_parameters().pairs())
    pair.second.sum();
  for (const auto &parameter : load())
    parameter.sum();
}

std::vector<Tensor> &kept();
void of_a_reference_ok() {
  auto &first = kept()[0];
  first.sum();
}

std::vector<std::string> words();
char letters_ok() {
  const auto &word = words()[0];
  return word[0];
}

struct Scene {
  Tensor picture;
  std::vector<float> boxes;
};

void shared_ok(std::shared_ptr<const std::vector<Scene>> scenes, size_t i,
               const std::unique_ptr<std::vector<Tensor>> &tensors,
               std::vector<std::vector<Tensor>>::iterator list) {
  const Scene &scene = scenes->at(i);
  scene.picture.sum();
  auto &first = tensors->front();
  first.sum();
  auto &last = list->back();
  last.sum();
}
