// Modules that are parts of one module twice.
#include <torch/torch.h>

#include <string>

namespace nn = torch::nn;

struct PushedBadImpl : nn::Module {
  PushedBadImpl() {
    first = register_module("first", nn::Linear(4, 4));
    body->push_back(first);
    body->push_back(nn::ReLU());
    register_module("body", body); // expect: ml-registered-twice (no fix): 'first' becomes a part of the same module twice: parameters() lists its parameters twice
  }
  nn::Linear first{nullptr};
  nn::Sequential body;
};

struct MadeOfBadImpl : nn::Module {
  MadeOfBadImpl() {
    first = register_module("first", nn::Linear(4, 4));
    body = register_module("body", nn::Sequential(first, nn::ReLU())); // expect: ml-registered-twice
  }
  nn::Linear first{nullptr};
  nn::Sequential body{nullptr};
};

struct TwoNamesBadImpl : nn::Module {
  TwoNamesBadImpl() : encoder(nn::Linear(4, 4)) {
    decoder = encoder;
    register_module("encoder", encoder);
    register_module("decoder", decoder); // expect: ml-registered-twice
  }
  nn::Linear encoder{nullptr}, decoder{nullptr};
};

/// The list is a part before it is filled.
struct LateBadImpl : nn::Module {
  LateBadImpl() {
    layers = register_module("layers", nn::ModuleList());
    first = register_module("first", nn::Linear(4, 4));
    layers->push_back(first); // expect: ml-registered-twice
  }
  nn::ModuleList layers{nullptr};
  nn::Linear first{nullptr};
};

struct LoopBadImpl : nn::Module {
  explicit LoopBadImpl(int depth) {
    for (int i = 0; i < depth; ++i) {
      nn::Linear layer(4, 4);
      layers->push_back(layer);
      register_module("layer" + std::to_string(i), layer);
    }
    register_module("layers", layers); // expect: ml-registered-twice
  }
  nn::ModuleList layers;
};

/// A helper puts the layer into the list.
struct HelperBadImpl : nn::Module {
  HelperBadImpl() {
    first = register_module("first", nn::Linear(4, 4));
    fill(body, first);
    register_module("body", body); // expect: ml-registered-twice
  }
  static void fill(nn::Sequential &list, nn::Linear &layer) { list->push_back(layer); }
  nn::Linear first{nullptr};
  nn::Sequential body;
};

struct PointerBadImpl : nn::Module {
  PointerBadImpl() {
    first = std::make_shared<nn::LinearImpl>(4, 4);
    register_module("first", first);
    register_module("alias", first); // expect: ml-registered-twice
  }
  std::shared_ptr<nn::LinearImpl> first;
};

// ---- once

struct OnceImpl : nn::Module {
  OnceImpl() {
    first = nn::Linear(4, 4);
    body->push_back(first);
    body->push_back(nn::Linear(4, 4));
    register_module("body", body);
  }
  nn::Linear first{nullptr};
  nn::Sequential body;
};

/// A list of its own that is no part of the module.
struct OtherListImpl : nn::Module {
  OtherListImpl() {
    first = register_module("first", nn::Linear(4, 4));
    order->push_back(first);
  }
  nn::Linear first{nullptr};
  nn::Sequential order;
};

/// What has no parameters may be shared.
struct SharedReluImpl : nn::Module {
  SharedReluImpl() {
    relu = register_module("relu", nn::ReLU());
    body = register_module("body", nn::Sequential(nn::Linear(4, 4), relu, nn::Linear(4, 4), relu));
  }
  nn::ReLU relu{nullptr};
  nn::Sequential body{nullptr};
};

struct EachIterationImpl : nn::Module {
  explicit EachIterationImpl(int depth) {
    layers = register_module("layers", nn::ModuleList());
    for (int i = 0; i < depth; ++i) {
      nn::Linear layer(4, 4);
      layers->push_back(layer);
    }
    for (int i = 0; i < depth; ++i)
      layers->push_back(make());
  }
  static nn::Linear make() { return nn::Linear(4, 4); }
  nn::ModuleList layers{nullptr};
};

struct ChosenImpl : nn::Module {
  explicit ChosenImpl(bool isDeep) {
    first = nn::Linear(4, 4);
    if (isDeep)
      body->push_back(first);
    else
      register_module("first", first);
    register_module("body", body);
  }
  nn::Linear first{nullptr};
  nn::Sequential body;
};

struct TakenOutImpl : nn::Module {
  TakenOutImpl() {
    first = register_module("first", nn::Linear(4, 4));
    unregister_module("first");
    register_module("other", first);
  }
  nn::Linear first{nullptr};
};

struct ReplacedImpl : nn::Module {
  ReplacedImpl() {
    first = register_module("first", nn::Linear(4, 4));
    nn::Linear old = first;
    first = replace_module("first", nn::Linear(4, 4));
    register_module("old", old);
  }
  nn::Linear first{nullptr};
};

struct ElementsImpl : nn::Module {
  ElementsImpl() {
    for (int i = 0; i < 3; ++i)
      parts.push_back(nn::Linear(4, 4));
    for (auto &part : parts)
      register_module("part" + std::to_string(count++), part);
    for (int i = 0; i < 3; ++i)
      register_module("again" + std::to_string(i), others[i]);
  }
  int count = 0;
  std::vector<nn::Linear> parts, others;
};
