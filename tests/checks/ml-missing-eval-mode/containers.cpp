// Modules in pointers, containers and module lists.
#include <torch/torch.h>

#include <map>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    layers = register_module("layers", torch::nn::ModuleList());
    layers->push_back(torch::nn::Linear(4, 3));
    layers->push_back(torch::nn::Linear(3, 3));
    dropout = register_module("dropout", torch::nn::Dropout(0.5));
  }
  torch::Tensor forward(torch::Tensor x) {
    for (auto &layer : *layers)
      x = dropout(layer->as<torch::nn::LinearImpl>()->forward(x));
    return x;
  }
  torch::nn::ModuleList layers{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Net);

void predict_through_a_unique_pointer_bad(torch::Tensor x) {
  auto net = std::make_unique<NetImpl>();
  torch::NoGradGuard noGrad;
  auto prediction = net->forward(x).argmax(1); // expect: ml-missing-eval-mode
}

void predict_through_a_unique_pointer_ok(torch::Tensor x) {
  auto net = std::make_unique<NetImpl>();
  net->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net->forward(x).argmax(1);
}

void predict_with_an_ensemble_bad(torch::Tensor x) {
  std::vector<Net> nets;
  for (int i = 0; i < 5; ++i)
    nets.push_back(Net());
  torch::NoGradGuard noGrad;
  for (auto &net : nets)
    auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode (no fix)
}

void predict_with_an_ensemble_ok(torch::Tensor x) {
  std::vector<Net> nets;
  for (int i = 0; i < 5; ++i) {
    nets.push_back(Net());
    nets.back()->eval();
  }
  torch::NoGradGuard noGrad;
  for (auto &net : nets)
    auto prediction = net(x).argmax(1);
}

void predict_by_index_ok(std::vector<Net> &nets, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  for (size_t i = 0; i < nets.size(); ++i) {
    nets[i]->eval();
    auto prediction = nets[i](x).argmax(1);
  }
}

void predict_by_name_ok(std::map<std::string, Net> &nets, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  for (auto &[name, net] : nets) {
    net->eval();
    auto prediction = net(x).argmax(1);
  }
}

// A copy of a holder is the same module.
void predict_with_a_copied_holder_ok(torch::Tensor x) {
  Net net;
  Net same = net;
  same->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

// Others set the mode of the elements.
struct Servers {
  void update(const Net &net) {
    for (size_t i = 0; i < nets.size(); ++i)
      nets[i]->eval();
  }
  void serve_ok(torch::Tensor x, int index) {
    torch::NoGradGuard noGrad;
    auto prediction = nets[static_cast<size_t>(index)]->forward(x).argmax(1).item<int64_t>();
  }
  std::vector<Net> nets;
};
struct Serving {
  void serve_bad(torch::Tensor x, int index) {
    torch::NoGradGuard noGrad;
    std::cout << nets[index]->forward(x).argmax(1).item<int64_t>(); // expect: ml-missing-eval-mode (no fix)
  }
  std::vector<Net> nets;
};
