// A member gets another module, and the registry keeps the first.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::Tensor;

struct ScalerImpl : nn::Module {
  ScalerImpl(int64_t size) : mean(register_buffer("mean", torch::zeros({size}))) {}
  ScalerImpl(Tensor mean) : mean(register_buffer("mean", mean)) {}
  Tensor forward(Tensor x) { return x - mean; }
  Tensor mean;
};
TORCH_MODULE(Scaler);

struct InConstructorBad : nn::Module {
  InConstructorBad(Tensor mean) : scaler(register_module("scaler", Scaler(1))) {
    auto half = mean / 2;
    scaler = Scaler(half); // expect: ml-unregistered-module (no fix): 'scaler' is replaced
  }
  Tensor forward(Tensor x) { return scaler(x); }
  Scaler scaler;
};

struct InMethodBad : nn::Module {
  InMethodBad() { head = register_module("head", nn::Linear(4, 2)); }
  void adapt(int64_t classes) {
    head = nn::Linear(4, classes); // expect: ml-unregistered-module (no fix)
  }
  Tensor forward(Tensor x) { return head(x); }
  nn::Linear head{nullptr};
};

struct RegisteredAgain : nn::Module {
  RegisteredAgain() : head(register_module("head", nn::Linear(4, 2))) {}
  void adapt(int64_t classes) {
    unregister_module("head");
    head = register_module("head", nn::Linear(4, classes));
  }
  Tensor forward(Tensor x) { return head(x); }
  nn::Linear head;
};

struct Replaced : nn::Module {
  Replaced()
      : head(register_module("head", nn::Linear(4, 2))),
        tail(register_module("tail", nn::Linear(2, 2))) {}
  void adapt(int64_t classes) {
    head = nn::Linear(4, classes);
    replace_module("head", head);
    tail = replace_module("tail", nn::Linear(classes, classes));
  }
  Tensor forward(Tensor x) { return tail(head(x)); }
  nn::Linear head, tail;
};

// Of the registered one there is none before.
struct MadeFirst : nn::Module {
  MadeFirst(bool isWide) {
    if (isWide)
      head = register_module("wide", nn::Linear(4, 8));
    else
      head = register_module("narrow", nn::Linear(4, 2));
    activation = nn::ReLU();
  }
  void fuse() { activation = nn::ReLU(); }
  void drop() { head = nullptr; }
  Tensor forward(Tensor x) { return activation(head(x)); }
  nn::Linear head{nullptr};
  nn::ReLU activation{nullptr};
};

// Who has the module replaces what its constructor registers by name.
struct Named : nn::Module {
  Named() : stem(4, 8), head(8, 2) {
    register_module("stem", stem);
    register_module("head", head);
  }
  Tensor forward(Tensor x) { return head(torch::relu(stem(x))); }
  nn::Linear stem, head;
};

std::shared_ptr<Named> gray() {
  auto net = std::make_shared<Named>();
  net->stem = nn::Linear(1, 8); // expect: ml-unregistered-module (no fix): 'stem' is replaced
  net->head = net->replace_module("head", nn::Linear(8, 4));
  return net;
}

// The constructor gives it a value before it registers that.
struct NamedLast : nn::Module {
  NamedLast() : stem(4, 8) {
    stem = nn::Linear(1, 8);
    register_module("stem", stem);
  }
  Tensor forward(Tensor x) { return stem(x); }
  nn::Linear stem;
};

// Whoever replaces it registers it, too.
struct NamedLater : nn::Module {
  NamedLater() : stem(4, 8) { build(4); }
  void build(int64_t width) {
    stem = nn::Linear(width, 8);
    register_module("stem", stem);
  }
  Tensor forward(Tensor x) { return stem(x); }
  nn::Linear stem;
};
