// What is done to all modules of a list is done to each, by whatever name it goes.
#include <torch/torch.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <vector>

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return dropout(x); }
  torch::nn::Dropout dropout = register_module("dropout", torch::nn::Dropout(0.2));
};

float evaluate(NetImpl &net, torch::Tensor x) {
  torch::NoGradGuard guard;
  return net.forward(x).sum().item<float>();
}

void braces_ok(torch::Device device, torch::Tensor x) {
  NetImpl first, second;
  for (NetImpl *net : {&first, &second}) {
    net->to(device);
    net->eval();
  }
  evaluate(first, x.to(device)) + evaluate(second, x.to(device));
}
void handles_ok(torch::Tensor x) {
  auto first = std::make_shared<NetImpl>(), second = std::make_shared<NetImpl>();
  std::vector<std::shared_ptr<torch::nn::Module>> nets{first, second};
  for (auto &net : nets)
    net->eval();
  evaluate(*first, x) + evaluate(*second, x);
}
void array_ok(torch::Tensor x) {
  NetImpl first, second;
  std::array<NetImpl *, 2> nets = {&first, &second};
  for (size_t i = 0; i < 2; ++i)
    nets[i]->eval();
  evaluate(first, x) + evaluate(second, x);
}
void pair_ok(torch::Tensor x) {
  NetImpl first, second;
  auto nets = std::make_pair(&first, &second);
  nets.first->eval();
  nets.second->eval();
  evaluate(first, x) + evaluate(second, x);
}
void by_name_ok(torch::Tensor x) {
  NetImpl first;
  std::map<std::string, NetImpl *> nets{{"first", &first}};
  for (auto &[name, net] : nets)
    net->eval();
  evaluate(first, x);
}
void references_ok(torch::Tensor x) {
  NetImpl first;
  std::vector<std::reference_wrapper<NetImpl>> nets{first};
  for (NetImpl &net : nets)
    net.eval();
  evaluate(first, x);
}

float other_bad(torch::Tensor x) {
  NetImpl first, other;
  for (NetImpl *net : {&first})
    net->eval();
  torch::NoGradGuard guard;
  return other.forward(x).sum().item<float>(); // expect: ml-missing-eval-mode
}
float half_of_a_pair_bad(torch::Tensor x) {
  NetImpl first, second;
  auto nets = std::make_pair(&first, &second);
  nets.first->eval();
  torch::NoGradGuard guard;
  return second.forward(x).sum().item<float>(); // expect: ml-missing-eval-mode
}
