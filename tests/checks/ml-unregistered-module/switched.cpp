// Submodules whose mode somebody sets by hand.
#include <torch/torch.h>

#include <vector>

using torch::Tensor;

struct Block : torch::nn::Module {
  Block() : fc(register_module("fc", torch::nn::Linear(4, 4))) {}
  Tensor forward(Tensor x) { return torch::relu(fc(x)); }
  torch::nn::Linear fc;
};

// --- the whole object is switched, and the member with it: it was forgotten ----------------------

struct Switched : torch::nn::Module {
  Switched() : in(register_module("in", torch::nn::Linear(4, 4))) {
    for (int i = 0; i < 3; ++i)
      blocks.emplace_back(); // note: it is made here
  }
  Tensor forward(Tensor x) {
    x = in(x);
    for (auto &block : blocks) // note: it is used here
      x = block.forward(x);
    return head.forward(x); // note: it is used here
  }
  void evaluate() {
    eval();
    head.eval();
    for (auto &block : blocks)
      block.train(false);
  }
  torch::nn::Linear in;
  Block head; // expect: ml-unregistered-module (no fix): submodule 'head' is used in forward() but never registered
  std::vector<Block> blocks; // expect: ml-unregistered-module (no fix): submodule 'blocks'
};

// --- frozen parts: the object keeps its mode -----------------------------------------------------

struct Frozen : torch::nn::Module {
  Frozen() : in(register_module("in", torch::nn::Linear(4, 4))) { teacher.eval(); }
  Tensor forward(Tensor x) { return in(x) + teacher.forward(x); }
  torch::nn::Linear in;
  Block teacher;
};

struct FrozenLater : torch::nn::Module {
  FrozenLater() : in(register_module("in", torch::nn::Linear(4, 4))) {}
  Tensor forward(Tensor x) { return in(x) + teacher.forward(x); }
  void begin() {
    train();
    teacher.eval();
  }
  torch::nn::Linear in;
  Block teacher;
};

// --- only the mode is passed on ------------------------------------------------------------------

struct PassedOnBad : torch::nn::Module {
  PassedOnBad() : front(4, 4), // note: it is made here
        head(register_module("head", torch::nn::Linear(4, 4))) {}
  Tensor forward(Tensor x) { return head(front(x)); } // note: it is used here
  void train(bool on = true) override {
    torch::nn::Module::train(on);
    front->train(on);
  }
  torch::nn::Linear front; // expect: ml-unregistered-module: 'front'
  torch::nn::Linear head;
};

struct DropPassedOn : torch::nn::Module {
  DropPassedOn() : drop(0.5), head(register_module("head", torch::nn::Linear(4, 4))) {}
  Tensor forward(Tensor x) { return head(drop(x)); }
  void train(bool on = true) override {
    torch::nn::Module::train(on);
    drop->train(on);
  }
  torch::nn::Dropout drop;
  torch::nn::Linear head;
};
