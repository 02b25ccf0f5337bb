// Modules in containers, the framework's and the standard library's.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::Tensor;

struct VectorBad : nn::Module {
  VectorBad(int depth) {
    for (int i = 0; i < depth; ++i)
      layers.push_back(nn::Linear(4, 4));
  }
  Tensor forward(Tensor x) {
    for (auto &layer : layers)
      x = layer(x);
    return x;
  }
  std::vector<nn::Linear> layers; // expect: ml-unregistered-module (no fix)
};

struct ListBad : nn::Module {
  ListBad() : layers{nn::Linear(4, 4), nn::Linear(4, 4)} {}
  Tensor forward(Tensor x) { return layers[1](layers[0](x)); }
  std::vector<nn::Linear> layers; // expect: ml-unregistered-module (no fix)
};

struct SequentialBad : nn::Module {
  SequentialBad() { layers = nn::Sequential(nn::Linear(4, 4), nn::ReLU()); }
  Tensor forward(Tensor x) { return layers->forward(x); }
  nn::Sequential layers{nullptr}; // expect: ml-unregistered-module: 'layers'
};

struct PushedBad : nn::Module {
  PushedBad() {
    layers->push_back(nn::ReLU());
    layers->push_back(nn::Dropout(0.5));
  }
  Tensor forward(Tensor x) { return layers->forward(x); }
  nn::Sequential layers; // expect: ml-unregistered-module: 'layers'
};

nn::Sequential block(int64_t in, int64_t out) {
  return nn::Sequential(nn::Linear(in, out), nn::ReLU());
}
struct HelperBad : nn::Module {
  HelperBad() {
    first = register_module("first", block(4, 8));
    second = block(8, 4);
  }
  Tensor forward(Tensor x) { return second->forward(first->forward(x)); }
  nn::Sequential first{nullptr};
  nn::Sequential second{nullptr}; // expect: ml-unregistered-module: 'second'
};

struct RegisteredElements : nn::Module {
  RegisteredElements(int depth) {
    for (int i = 0; i < depth; ++i) {
      pushed.push_back(register_module("pushed" + std::to_string(i), nn::Linear(4, 4)));
      nn::Linear named(4, 4);
      register_module("named" + std::to_string(i), named);
      variables.push_back(named);
      later.push_back(nn::Linear(4, 4));
    }
    for (size_t i = 0; i < later.size(); ++i)
      register_module("later" + std::to_string(i), later[i]);
    ranged = {nn::Linear(4, 4), nn::Linear(4, 4)};
    int number = 0;
    for (auto &layer : ranged)
      register_module("ranged" + std::to_string(number++), layer);
  }
  Tensor forward(Tensor x) {
    for (auto &layer : pushed)
      x = layer(x);
    for (auto &layer : variables)
      x = layer(x);
    for (auto &layer : later)
      x = layer(x);
    return ranged.back()(x);
  }
  std::vector<nn::Linear> pushed, variables, later, ranged;
};

struct RegisteredContainers : nn::Module {
  RegisteredContainers() {
    fc = nn::Linear(4, 4);
    sequence = register_module("sequence", nn::Sequential(fc, nn::ReLU()));
    other = nn::Linear(4, 4);
    list->push_back(other);
    register_module("list", list);
    last = nn::Linear(4, 4);
    nn::Sequential local(last);
    register_module("local", local);
  }
  Tensor forward(Tensor x) { return last(other(fc(x))); }
  nn::Linear fc{nullptr}, other{nullptr}, last{nullptr};
  nn::Sequential sequence{nullptr};
  nn::ModuleList list;
};

struct StatelessContents : nn::Module {
  StatelessContents() : pooling(nn::Sequential(nn::ReLU(), nn::Flatten())) {
    more->push_back(nn::ReLU());
  }
  Tensor forward(Tensor x) { return more->forward(pooling->forward(x)); }
  nn::Sequential pooling, more;
};

nn::Sequential unseen(int64_t size);
struct UnknownContents : nn::Module {
  UnknownContents() { layers = unseen(4); }
  Tensor forward(Tensor x) { return layers->forward(x); }
  nn::Sequential layers{nullptr};
};

// What is kept in a list of the parts is registered through it.
struct RegisteredTogether : nn::Module {
  RegisteredTogether() : first(4, 4), second(4, 4) {
    int number = 0;
    for (auto module : {first, second})
      register_module("part" + std::to_string(number++), module);
  }
  Tensor forward(Tensor x) { return second(first(x)); }
  nn::Linear first, second;
};

// Filled by a function that is seen.
void addBlock(nn::Sequential &layers, int64_t size) {
  layers->push_back(nn::Linear(size, size));
  layers->push_back(nn::ReLU());
}
void addActivation(nn::Sequential &layers) { layers->push_back(nn::ReLU()); }
struct FilledBad : nn::Module {
  FilledBad() {
    addBlock(registered, 4);
    addBlock(forgotten, 4);
    addActivation(stateless);
    register_module("registered", registered);
  }
  Tensor forward(Tensor x) {
    return stateless->forward(forgotten->forward(registered->forward(x)));
  }
  nn::Sequential registered, stateless;
  nn::Sequential forgotten; // expect: ml-unregistered-module: 'forgotten'
};

void fillUnseen(nn::Sequential &layers, int64_t size);
struct FilledUnseen : nn::Module {
  FilledUnseen() { fillUnseen(layers, 4); }
  Tensor forward(Tensor x) { return layers->forward(x); }
  nn::Sequential layers;
};
