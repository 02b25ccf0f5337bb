// Layers that forward() makes for itself.
#include <torch/torch.h>

namespace nn = torch::nn;

struct BadImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    nn::Linear out(4, 2);  // expect: ml-unregistered-module (no fix): 'out' is made anew
    nn::Dropout drop(0.5); // note: so is this one
    nn::ReLU relu;
    return drop->forward(out(relu(hidden(x))));
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};
TORCH_MODULE(Bad);

struct MovedImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    nn::Linear out(4, 2); // expect: ml-unregistered-module (no fix): 'out' is made anew
    out->to(x.device());
    return out->forward(hidden(x));
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};
TORCH_MODULE(Moved);

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
  UnlistedImpl() : layers(make(this)) {} // note: it is made here
  static std::vector<nn::Linear> make(nn::Module *owner) {
    return {owner->register_module("a", nn::Linear(4, 4)), nn::Linear(4, 4)};
  }
  torch::Tensor forward(torch::Tensor x) {
    for (auto &layer : layers) // note: it is used here
      x = layer(x);
    return x;
  }
  std::vector<nn::Linear> layers; // expect: ml-unregistered-module (no fix)
};
TORCH_MODULE(Unlisted);

// Of other classes, and without a name.
struct BlockImpl : nn::Module {
  explicit BlockImpl(int64_t size) { layer = register_module("layer", nn::Linear(size, size)); }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(layer(x)); }
  nn::Linear layer{nullptr};
};
TORCH_MODULE(Block);

struct AllocatingImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = (new BlockImpl(4))->forward(x); // expect: ml-unregistered-module (no fix): the module is made anew
    x = (new BlockImpl(4))->forward(x); // note: so is this one
    return hidden(x);
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};

struct SharingImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = std::make_shared<BlockImpl>(4)->forward(x); // expect: ml-unregistered-module (no fix): made anew
    auto other = std::make_shared<BlockImpl>(4); // note: so is this one
    x = other->forward(x);
    return hidden(x);
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};

struct NamelessImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = nn::Linear(4, 4)(x); // expect: ml-unregistered-module (no fix): the module is made anew
    x = Block(4)->forward(x); // note: so is this one
    return nn::ReLU()(hidden(x));
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};

struct PointingImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto *block = new BlockImpl(4); // expect: ml-unregistered-module (no fix): 'block' is made anew
    return block->forward(hidden(x));
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};

struct ChainImpl : nn::Module {
  ChainImpl() { layers = register_module("layers", nn::Sequential(nn::Linear(4, 4), nn::ReLU())); }
  torch::Tensor forward(torch::Tensor x) { return layers->forward(x); }
  nn::Sequential layers{nullptr};
};
struct ChainedImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    return (new ChainImpl())->forward(hidden(x)); // expect: ml-unregistered-module (no fix): made anew
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};

struct ActivationImpl : nn::Module {
  ActivationImpl() { layers = register_module("layers", nn::Sequential(nn::ReLU(), nn::ReLU())); }
  torch::Tensor forward(torch::Tensor x) { return layers->forward(x); }
  nn::Sequential layers{nullptr};
};
struct ActivatedImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) { return (new ActivationImpl())->forward(hidden(x)); }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};

// What has no parameters may be made anywhere.
struct StatelessImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = nn::ReLU()(x);
    x = (new nn::ReLUImpl())->forward(x);
    auto activation = std::make_shared<nn::ReLUImpl>();
    return activation->forward(x) + nn::MSELoss()(x, x);
  }
};

// It asks for the mode itself.
struct DroppingImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    if (is_training())
      x = nn::Dropout(0.5)(x);
    return hidden(x);
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};

// Filters: their weights are the same each time.
struct SobelImpl : nn::Module {
  SobelImpl() {
    layer = register_module("layer", nn::Linear(4, 4));
    layer->weight.set_data(torch::ones({4, 4}));
  }
  torch::Tensor forward(torch::Tensor x) { return layer(x); }
  nn::Linear layer{nullptr};
};
struct BlurImpl : nn::Module {
  BlurImpl() { kernel = register_buffer("kernel", torch::ones({4, 4})); }
  torch::Tensor forward(torch::Tensor x) { return torch::matmul(x, kernel); }
  torch::Tensor kernel;
};
struct PretrainedImpl : nn::Module {
  PretrainedImpl() {
    layer = register_module("layer", nn::Linear(4, 4));
    torch::load(layer, "layer.pt");
  }
  torch::Tensor forward(torch::Tensor x) { return layer(x); }
  nn::Linear layer{nullptr};
};
struct EdgesImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = std::make_shared<SobelImpl>()->forward(x);
    x = std::make_shared<PretrainedImpl>()->forward(x);
    return (new BlurImpl())->forward(x);
  }
};

// Made with weights.
struct GivenImpl : nn::Module {
  explicit GivenImpl(torch::Tensor weight) {
    layer = register_module("layer", nn::Linear(4, 4));
    use(*layer, weight);
  }
  static void use(nn::LinearImpl &layer, torch::Tensor weight);
  torch::Tensor forward(torch::Tensor x) { return layer(x); }
  nn::Linear layer{nullptr};
};
struct HyperImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    return std::make_shared<GivenImpl>(hidden(x))->forward(x);
  }
  nn::Linear hidden = register_module("hidden", nn::Linear(4, 4));
};

// Kept in a member.
struct CachingImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    if (!block) {
      auto made = std::make_shared<BlockImpl>(x.size(1));
      block = register_module("block", made);
    }
    static BlockImpl shared(4);
    return block->forward(shared.forward(x));
  }
  std::shared_ptr<BlockImpl> block;
};

// Where no module computes, a module that is made and called is nothing new.
torch::Tensor demo_ok(torch::Tensor x) { return nn::Linear(4, 4)(x); }
