// Names that a module has already.
#include <torch/torch.h>

#include <string>

namespace nn = torch::nn;

struct CopiedLineBadImpl : nn::Module {
  CopiedLineBadImpl() {
    a = register_module("a", nn::Linear(4, 4));
    b = register_module("a", nn::Linear(4, 4)); // expect: ml-registered-twice: the name 'a' is registered already: this throws
  }
  nn::Linear a{nullptr}, b{nullptr};
};

struct BuffersBadImpl : nn::Module {
  BuffersBadImpl() {
    mean = register_buffer("mean", torch::zeros({4}));
    variance = register_buffer("mean", torch::ones({4})); // expect: ml-registered-twice
  }
  torch::Tensor mean, variance;
};

struct HelperBadImpl : nn::Module {
  HelperBadImpl() {
    a = add("a");
    b = add("a");
  }
  nn::Linear add(const std::string &name) {
    return register_module(name, nn::Linear(4, 4)); // expect: ml-registered-twice
  }
  nn::Linear a{nullptr}, b{nullptr};
};

struct EachTimeBadImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto mask = register_buffer("mask", torch::ones({4})); // expect: ml-registered-twice: the name 'mask' is registered already when this runs again
    return x * mask;
  }
};

struct LoopBadImpl : nn::Module {
  explicit LoopBadImpl(int depth) {
    for (int i = 0; i < depth; ++i)
      layers.push_back(register_module("layer", nn::Linear(4, 4))); // expect: ml-registered-twice
  }
  std::vector<nn::Linear> layers;
};

// ---- names of their own

struct KindsImpl : nn::Module {
  KindsImpl() {
    a = register_module("a", nn::Linear(4, 4));
    scale = register_parameter("a", torch::ones({4}));
  }
  nn::Linear a{nullptr};
  torch::Tensor scale;
};

struct NumberedImpl : nn::Module {
  explicit NumberedImpl(int depth) {
    for (int i = 0; i < depth; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), nn::Linear(4, 4)));
    a = add("a");
    b = add("b");
  }
  nn::Linear add(const std::string &name) { return register_module(name, nn::Linear(4, 4)); }
  std::vector<nn::Linear> layers;
  nn::Linear a{nullptr}, b{nullptr};
};

struct WhenNeededImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    if (!mask.defined())
      mask = register_buffer("mask", torch::ones({4}));
    return x * mask;
  }
  torch::Tensor mask;
};

struct ChosenImpl : nn::Module {
  explicit ChosenImpl(bool isDeep) {
    if (isDeep)
      a = register_module("a", nn::Linear(4, 8));
    else
      a = register_module("a", nn::Linear(4, 4));
  }
  nn::Linear a{nullptr};
};

struct ReplacedImpl : nn::Module {
  ReplacedImpl() {
    a = register_module("a", nn::Linear(4, 4));
    unregister_module("a");
    a = register_module("a", nn::Linear(4, 8));
    a = replace_module("a", nn::Linear(4, 4));
  }
  nn::Linear a{nullptr};
};

struct FirstOneImpl : nn::Module {
  explicit FirstOneImpl(const std::vector<int> &sizes) {
    for (int size : sizes)
      if (size > 0) {
        a = register_module("a", nn::Linear(size, 4));
        break;
      }
  }
  nn::Linear a{nullptr};
};

struct EachImpl : nn::Module {
  EachImpl() { a = register_module("a", nn::Linear(4, 4)); }
  nn::Linear a{nullptr};
};
TORCH_MODULE(Each);

void many_ok() {
  for (int i = 0; i < 3; ++i) {
    Each each;
    each->register_buffer("b", torch::ones({4}));
  }
}

// --- what a base's constructor, or another of the class, registers is there --------------------------

struct BlockImpl : nn::Module {
  explicit BlockImpl(int width) { body = register_module("body", nn::Linear(width, width)); }
  nn::Linear body{nullptr};
};
struct WideBlockImpl : BlockImpl {
  WideBlockImpl(int width, int factor) : BlockImpl(width) {
    body = register_module("body", nn::Linear(width, factor)); // expect: ml-registered-twice (no fix): the name 'body' is registered already
  }
};

struct DelegatingImpl : nn::Module {
  explicit DelegatingImpl(int width) { register_buffer("scale", torch::ones({width})); }
  DelegatingImpl() : DelegatingImpl(4) {
    register_buffer("scale", torch::zeros({4})); // expect: ml-registered-twice (no fix): the name 'scale' is registered already
  }
};

struct NarrowBlockImpl : BlockImpl {
  explicit NarrowBlockImpl(int width) : BlockImpl(width) {
    head = register_module("head", nn::Linear(width, 1));
    body = replace_module("body", nn::Linear(width, 2));
  }
  nn::Linear head{nullptr};
};

// Each object has a base of its own.
void several_ok() {
  BlockImpl first(4), second(8);
  NarrowBlockImpl third(4), fourth(8);
}
