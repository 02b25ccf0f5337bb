// Tensors that belong to the object, and those that do not.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::Tensor;

struct PositionBad : nn::Module {
  PositionBad(int64_t size) { position = torch::randn({1, size}); }
  Tensor forward(Tensor x) { return x + position; }
  Tensor position; // expect: ml-unregistered-tensor: tensor 'position' is used in forward() but
                   // never registered: to() and save() do not reach it
};

struct WeightBad : nn::Module {
  WeightBad() : weight(torch::randn({4}, torch::TensorOptions().requires_grad(true))) {}
  Tensor forward(Tensor x) { return x * weight; }
  Tensor weight; // expect: ml-unregistered-tensor: parameters(), to() and save() do not reach it
};

struct DefaultBad : nn::Module {
  DefaultBad() {}
  Tensor forward(Tensor x) { return x * scale; }
  Tensor scale = torch::ones({4}); // expect: ml-unregistered-tensor
};

// Whoever hands it in may have put it on the right device.
struct HandedIn_ok : nn::Module {
  HandedIn_ok(Tensor mean) : mean(mean) {}
  Tensor forward(Tensor x) { return x - mean; }
  Tensor mean;
};

struct ArgumentBad : nn::Module {
  ArgumentBad(Tensor mean) : half(mean * 0.5) {}
  Tensor forward(Tensor x) { return x - half; }
  void pretty_print(std::ostream &out) const { out << half.size(0); }
  Tensor inverse(Tensor x) { return x + half; }
  Tensor half; // expect: ml-unregistered-tensor
};

// A list of parameters for the optimizer, by hand.
struct Listed : nn::Module {
  Listed() : weight(torch::randn({4})), bias(torch::zeros({4})) {}
  std::vector<Tensor> trained() { return {weight, bias}; }
  Tensor forward(Tensor x) { return x * weight + bias; }
  Tensor weight, bias;
};

struct ComputedBad : nn::Module {
  ComputedBad(int64_t size) {
    auto steps = torch::arange(size);
    table = torch::exp(steps * -0.1);
  }
  Tensor forward(Tensor x) { return x + table; }
  Tensor table; // expect: ml-unregistered-tensor
};

Tensor makeTable(int64_t size) { return torch::zeros({size}); }
struct HelperBad : nn::Module {
  HelperBad() { table = makeTable(4); }
  Tensor forward(Tensor x) { return add(x); }
  Tensor add(Tensor x) { return x + table; }
  Tensor table; // expect: ml-unregistered-tensor
};

struct ListBad : nn::Module {
  ListBad() { weights.push_back(torch::randn({4})); }
  Tensor forward(Tensor x) { return x * weights[0]; }
  std::vector<Tensor> weights; // expect: ml-unregistered-tensor (no fix)
};

struct Registered : nn::Module {
  Registered() : second(register_buffer("second", torch::ones({4}))) {
    first = register_parameter("first", torch::randn({4}));
    third = torch::zeros({4});
    register_buffer("third", third);
    auto made = torch::randn({4});
    register_buffer("fourth", made);
    fourth = made;
    for (int i = 0; i < 3; ++i)
      list.push_back(register_parameter("list" + std::to_string(i), torch::randn({4})));
  }
  Tensor forward(Tensor x) { return x * first + second + third + fourth + list[0]; }
  Tensor first, second, third, fourth;
  std::vector<Tensor> list;
};

struct Cache : nn::Module {
  Tensor forward(Tensor x) {
    mask = torch::ones({4});
    if (!table.defined())
      table = torch::zeros({4});
    return x * mask + table;
  }
  Tensor mask;
  Tensor table = torch::zeros({4});
};

// Set from outside, whenever.
struct State : nn::Module {
  State() { hidden = torch::zeros({4}); }
  void clear() { hidden = torch::zeros({4}); }
  Tensor forward(Tensor x) { return x + hidden; }
  Tensor hidden;
};

struct MovedByHand : nn::Module {
  MovedByHand() : inTo(torch::ones({4})), atUse(torch::ones({4})) {}
  void to(torch::Device device, bool non_blocking = false) override {
    nn::Module::to(device, non_blocking);
    inTo = inTo.to(device);
  }
  Tensor forward(Tensor x) { return x + inTo + atUse.to(x.device()); }
  Tensor inTo, atUse;
};

// Numbers mix with every device, and indices serve on every device.
struct NumbersAndIndices : nn::Module {
  NumbersAndIndices() : scale(torch::tensor(0.5)), order(torch::arange(4)) {
    mask = torch::ones({4}, torch::kBool);
  }
  Tensor forward(Tensor x) { return x.index({order}).index({mask}) * scale; }
  Tensor scale, order, mask;
};

// The weight is registered where it comes from.
struct Tied : nn::Module {
  Tied() : fc(register_module("fc", nn::Linear(4, 4))), weight(fc->weight) {}
  Tensor forward(Tensor x) { return fc(x) * weight; }
  nn::Linear fc;
  Tensor weight;
};

struct DetachedBad : nn::Module {
  DetachedBad() {
    nn::Linear fc(4, 4);
    weight = fc->weight.detach().clone();
  }
  Tensor forward(Tensor x) { return x * weight; }
  Tensor weight; // expect: ml-unregistered-tensor
};

// Computed by the constructor, whenever it runs, on the device that it is given.
struct Tables : nn::Module {
  Tables(int64_t size, torch::Device device) {
    betas = torch::linspace(0.1, 0.2, size).to(device);
    alphas = 1.0 - betas;
    steps = torch::exp(torch::arange(size, torch::TensorOptions().device(device)) * 0.5);
  }
  Tensor forward(Tensor x) { return x * alphas + steps; }
  Tensor betas, alphas, steps;
};

// The first values of what is to be trained, on whatever device.
struct TokensBad : nn::Module {
  TokensBad(int64_t size, torch::Device device) {
    token = torch::zeros({1, size}).to(device);
    position = (torch::randn({1, size}) * 0.02).to(device);
  }
  Tensor forward(Tensor x) { return x + token + position; }
  Tensor token;    // expect: ml-unregistered-tensor: 'token'
  Tensor position; // expect: ml-unregistered-tensor: 'position'
};

struct Unused : nn::Module {
  Unused() : history(torch::zeros({4})) {}
  Tensor forward(Tensor x) { return x; }
  Tensor history;
};

struct ConstructorElsewhere : nn::Module {
  ConstructorElsewhere();
  Tensor forward(Tensor x) { return x + offset; }
  Tensor offset = torch::zeros({4});
};

struct Plain {
  Tensor forward(Tensor x) { return x + offset; }
  Tensor offset = torch::zeros({4});
};

// A copy of it is registered, and it is changed by others; it is still where it was made.
struct CopiedBad : nn::Module {
  CopiedBad() : table(torch::randn({4, 4})) {
    copy = register_buffer("copy", table.detach().clone());
  }
  Tensor forward(Tensor x) { return x * table + copy; }
  Tensor table; // expect: ml-unregistered-tensor
  Tensor copy;
};
void clearRow(CopiedBad &module) { module.table.index_put_({0}, 0.0); }

struct InitialisedInPlace : nn::Module {
  InitialisedInPlace() : weight(torch::empty({4})) {
    register_parameter("weight", weight.fill_(0.5));
  }
  Tensor forward(Tensor x) { return x * weight; }
  Tensor weight;
};

// Moved by the function that is given it.
static torch::Tensor filtered(torch::Tensor x, const torch::Tensor &window) {
  auto here = window.to(x.device());
  return x * here;
}
struct Filter : torch::nn::Module {
  torch::Tensor window = torch::rand({3});
  torch::Tensor forward(torch::Tensor x) { return filtered(x, window); }
};

// A table of numbers that the host reads.
struct Scheduled : nn::Module {
  explicit Scheduled(int64_t steps) { thresholds = torch::linspace(0.1, 0.9, steps); }
  double threshold() { return thresholds[std::min(step++, thresholds.size(0) - 1)].item<double>(); }
  torch::Tensor forward(torch::Tensor x) { return torch::where(x > threshold(), x, 0 * x); }
  torch::Tensor thresholds;
  int64_t step = 0;
};
