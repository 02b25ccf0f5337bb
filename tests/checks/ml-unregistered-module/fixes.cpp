// How a member is registered (fixes.cpp.fixed is the whole repaired text).
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::Tensor;

struct Assigned : nn::Module {
  Assigned() {
    fc = nn::Linear(4, 4);
    pointer = std::make_shared<nn::LinearImpl>(4, 4);
  }
  Tensor forward(Tensor x) { return pointer->forward(fc(x)); }
  nn::Linear fc{nullptr}; // expect: ml-unregistered-module
  std::shared_ptr<nn::LinearImpl> pointer; // expect: ml-unregistered-module
};

struct Initialised : nn::Module {
  Initialised() : direct(4, 4), braces{0.5}, copied(nn::Linear(4, 4)) {}
  Tensor forward(Tensor x) { return copied(braces(direct(x))); }
  nn::Linear direct; // expect: ml-unregistered-module
  nn::Dropout braces; // expect: ml-unregistered-module
  nn::Linear copied; // expect: ml-unregistered-module
};

struct ByDefault : nn::Module {
  ByDefault() {}
  explicit ByDefault(double) {
    relu = nn::ReLU();
  }
  explicit ByDefault(float drop) { this->drop->eval(); }
  Tensor forward(Tensor x) { return layers->forward(relu(x)); }
  nn::ReLU relu;
  nn::Dropout drop{0.5};
  nn::Sequential layers{nn::Linear(4, 4)}; // expect: ml-unregistered-module
};

// The elements need names.
struct Elements : nn::Module {
  Elements() {
    for (int i = 0; i < 3; ++i)
      layers.push_back(nn::Linear(4, 4));
  }
  Tensor forward(Tensor x) {
    for (auto &layer : layers)
      x = layer(x);
    return x;
  }
  std::vector<nn::Linear> layers; // expect: ml-unregistered-module (no fix)
};

// Two places make it, and nobody knows that only one of them is passed.
struct Branches : nn::Module {
  Branches(bool wide) {
    if (wide)
      fc = nn::Linear(4, 8);
    else
      fc = nn::Linear(4, 4);
  }
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc{nullptr}; // expect: ml-unregistered-module (no fix)
};

// The name is taken by another: this would throw.
struct NameTaken : nn::Module {
  NameTaken() {
    first = register_module("second", nn::Linear(4, 4));
    second = nn::Linear(4, 4);
  }
  Tensor forward(Tensor x) { return second(first(x)); }
  nn::Linear first{nullptr};
  nn::Linear second{nullptr}; // expect: ml-unregistered-module (no fix)
};

// No constructor to write it into.
struct NoConstructor : nn::Module {
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc{4, 4}; // expect: ml-unregistered-module (no fix)
};
