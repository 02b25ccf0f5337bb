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
