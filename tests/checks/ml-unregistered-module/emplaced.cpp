// Layers that a container makes.
#include <torch/torch.h>

#include <optional>
#include <vector>

struct Emplaced : torch::nn::Module {
  explicit Emplaced(bool hasHead) {
    for (int i = 0; i < 3; ++i) {
      layers.emplace_back(4, 4);
      norms.emplace_back(4);
    }
    if (hasHead)
      head.emplace(4, 2);
  }
  torch::Tensor forward(torch::Tensor x) {
    for (size_t i = 0; i < layers.size(); ++i)
      x = norms[i]->forward(layers[i]->forward(x));
    return head ? (*head)(x) : x;
  }
  std::vector<torch::nn::Linear> layers;     // expect: ml-unregistered-module (no fix): 'layers' is used in forward()
  std::vector<torch::nn::BatchNorm1d> norms; // expect: ml-unregistered-module (no fix): 'norms'
  std::optional<torch::nn::Linear> head;     // expect: ml-unregistered-module (no fix): 'head'
};

struct Block : torch::nn::Module {
  Block() { layer = register_module("layer", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(layer(x)); }
  torch::nn::Linear layer{nullptr};
};

struct By_value : torch::nn::Module {
  By_value() {
    for (int i = 0; i < 3; ++i)
      blocks.emplace_back();
  }
  torch::Tensor forward(torch::Tensor x) {
    for (auto &block : blocks)
      x = block.forward(x);
    return x;
  }
  std::vector<Block> blocks; // expect: ml-unregistered-module (no fix): 'blocks' is used in forward()
};

struct Registered_ok : torch::nn::Module {
  Registered_ok() {
    for (int i = 0; i < 3; ++i) {
      layers.emplace_back(4, 4);
      register_module("layer" + std::to_string(i), layers.back());
      auto &norm = norms.emplace_back(4);
      register_module("norm" + std::to_string(i), norm);
      register_module("drop" + std::to_string(i), drops.emplace_back(0.5));
    }
    others.emplace_back(register_module("other", torch::nn::Linear(4, 4)));
    more.emplace_back(4, 4);
    for (auto &layer : more)
      register_module("more", layer);
    head.emplace(4, 2);
    register_module("head", *head);
  }
  torch::Tensor forward(torch::Tensor x) {
    for (size_t i = 0; i < layers.size(); ++i)
      x = drops[i]->forward(norms[i]->forward(layers[i]->forward(x)));
    return (*head)(more[0]->forward(others[0]->forward(x)));
  }
  std::vector<torch::nn::Linear> layers, others, more;
  std::vector<torch::nn::BatchNorm1d> norms;
  std::vector<torch::nn::Dropout> drops;
  std::optional<torch::nn::Linear> head;
};

// Neither parameters nor a mode; holders of nothing.
struct Stateless_ok : torch::nn::Module {
  Stateless_ok() {
    activations.emplace_back(torch::nn::ReLUOptions(true));
    last.emplace(torch::nn::ReLUOptions(true));
    empty.emplace_back(nullptr);
  }
  torch::Tensor forward(torch::Tensor x) {
    if (empty.size() > 1)
      x = empty[0]->forward(x);
    return (*last)(activations[0]->forward(x));
  }
  std::vector<torch::nn::ReLU> activations;
  std::optional<torch::nn::ReLU> last;
  std::vector<torch::nn::Linear> empty;
};

// Looked after.
struct Managed_ok : torch::nn::Module {
  Managed_ok() { layers.emplace_back(4, 4); }
  torch::Tensor forward(torch::Tensor x) { return layers[0]->forward(x); }
  std::vector<torch::Tensor> allParameters() { return layers[0]->parameters(); }
  std::vector<torch::nn::Linear> layers;
};
