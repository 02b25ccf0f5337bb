// An assignment is an expression: what it assigns may be registered, kept or used right there.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::Tensor;

struct RegisteredInPlace : nn::Module {
  RegisteredInPlace() {
    register_module("fc", fc = nn::Linear(4, 4));
    register_module("drop", (drop = nn::Dropout(0.5)));
    register_module("shared", shared = std::make_shared<nn::LinearImpl>(4, 4));
  }
  Tensor forward(Tensor x) { return shared->forward(drop(fc(x))); }
  nn::Linear fc{nullptr};
  nn::Dropout drop{nullptr};
  std::shared_ptr<nn::LinearImpl> shared;
};

struct Listed : nn::Module {
  Listed() {
    register_module("layers", layers);
    layers->push_back(fc = nn::Linear(4, 4));
  }
  Tensor forward(Tensor x) { return fc(x); }
  nn::ModuleList layers;
  nn::Linear fc{nullptr};
};

struct Chained : nn::Module {
  Chained() {
    first = second = nn::Linear(4, 4);
    register_module("first", first);
    register_module("third", third = fourth = nn::Linear(4, 4));
  }
  Tensor forward(Tensor x) { return fourth(third(second(first(x)))); }
  nn::Linear first{nullptr}, second{nullptr}, third{nullptr}, fourth{nullptr};
};

struct ChainedBad : nn::Module {
  ChainedBad() { first = second = nn::Linear(4, 4); }
  Tensor forward(Tensor x) { return second(first(x)); }
  nn::Linear first{nullptr};  // expect: ml-unregistered-module: 'first'
  nn::Linear second{nullptr}; // expect: ml-unregistered-module: 'second'
};

// The value of an assignment that is a statement of its own, or left of a comma, is none's.
struct NeverUsed : nn::Module {
  NeverUsed() {}
  Tensor forward(Tensor x) {
    old = nn::Linear(4, 4);
    older = nn::Linear(4, 4), old = nn::Linear(4, 4);
    return x;
  }
  nn::Linear old{nullptr}, older{nullptr};
};

struct UsedAtOnceBad : nn::Module {
  Tensor forward(Tensor x) { return (fc = nn::Linear(4, 4))(x); }
  nn::Linear fc{nullptr}; // expect: ml-unregistered-module: 'fc'
};

// Whether the block has a state is what was assigned to it.
struct Blocks : nn::Module {
  Blocks() { plain = (stateless = nn::Sequential(nn::ReLU())); }
  Tensor forward(Tensor x) { return plain->forward(x); }
  nn::Sequential stateless, plain;
};
struct BlocksBad : nn::Module {
  BlocksBad() { block = (layers = nn::Sequential(nn::Linear(4, 4))); }
  Tensor forward(Tensor x) { return block->forward(x); }
  nn::Sequential layers; // expect: ml-unregistered-module: 'layers'
  nn::Sequential block;  // expect: ml-unregistered-module: 'block'
};
