// Members that methods of the class fill.
#include <torch/torch.h>

#if __has_include(<torch/script.h>)
#include <torch/script.h>
#endif

#include <vector>

using torch::Tensor;
using torch::jit::IValue;

class Detector {
public:
  explicit Detector(torch::jit::Module module) : module(std::move(module)) { inputs.reserve(2); }
  Tensor run(const Tensor &x) {
    add(x);
    add(1);
    return module.forward(inputs).toTensor(); // expect: ml-jit-inputs (no fix): of all calls before
  }

private:
  void add(IValue value) { inputs.push_back(std::move(value)); } // note: every one adds to the list here
  torch::jit::Module module;
  std::vector<IValue> inputs;
};

class Cleared {
public:
  Tensor run(const Tensor &x) {
    reset();
    add(x);
    return module.forward(inputs).toTensor();
  }

private:
  void reset() { inputs.clear(); }
  void add(IValue value) { inputs.push_back(std::move(value)); }
  torch::jit::Module module;
  std::vector<IValue> inputs;
};

class FilledOnce {
public:
  void add(IValue value) { inputs.push_back(std::move(value)); }
  Tensor run() { return module.forward(inputs).toTensor(); }

private:
  torch::jit::Module module;
  std::vector<IValue> inputs;
};
