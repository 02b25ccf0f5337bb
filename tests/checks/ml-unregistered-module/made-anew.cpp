// Layers that forward() makes for itself.
#include <torch/torch.h>

namespace nn = torch::nn;

struct BadImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    nn::Linear out(4, 2);  // expect: ml-unregistered-module (no fix): 'out' is made anew
    nn::Dropout drop(0.5); // expect: ml-unregistered-module (no fix)
    nn::ReLU relu;
    return drop->forward(out(relu(hidden(x))));
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};
TORCH_MODULE(Bad);

// Its weights are set by hand: a filter.
struct FilterImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    nn::Linear blur(4, 4);
    blur->weight.set_data(kernel);
    nn::Linear shared = hidden;
    return blur(shared(x));
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
  torch::Tensor kernel = register_buffer("kernel", torch::ones({4, 4}));
};
TORCH_MODULE(Filter);

// It is made once, and registered.
struct LazyImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    if (!layer) {
      nn::Linear made(x.size(1), 2);
      layer = register_module("layer", made);
    }
    return layer(x);
  }
  nn::Linear layer{nullptr};
};
TORCH_MODULE(Lazy);

// A list of registered layers that a function makes.
struct ListedImpl : nn::Module {
  ListedImpl() : layers(make(this)) {}
  static std::vector<nn::Linear> make(nn::Module *owner) {
    return {owner->register_module("a", nn::Linear(4, 4)),
            owner->register_module("b", nn::Linear(4, 4))};
  }
  torch::Tensor forward(torch::Tensor x) {
    for (auto &layer : layers)
      x = layer(x);
    return x;
  }
  std::vector<nn::Linear> layers;
};
TORCH_MODULE(Listed);

struct UnlistedImpl : nn::Module {
  UnlistedImpl() : layers(make(this)) {}
  static std::vector<nn::Linear> make(nn::Module *owner) {
    return {owner->register_module("a", nn::Linear(4, 4)), nn::Linear(4, 4)};
  }
  torch::Tensor forward(torch::Tensor x) {
    for (auto &layer : layers)
      x = layer(x);
    return x;
  }
  std::vector<nn::Linear> layers; // expect: ml-unregistered-module (no fix)
};
TORCH_MODULE(Unlisted);
