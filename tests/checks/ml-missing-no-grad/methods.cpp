// Methods of compiled modules: some compute, others get or set what the module is told.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using torch::jit::Module;

int64_t get_ok(Module &model) {
  std::vector<c10::IValue> none = {};
  return model.get_method("size")(none).toInt();
}

int64_t set_ok(Module &model, double value) {
  std::vector<c10::IValue> inputs;
  inputs.push_back(value);
  return model.get_method("set")(inputs).toInt();
}

int64_t encode_bad(Module &model, torch::Tensor x) {
  std::vector<c10::IValue> inputs;
  inputs.push_back(x);
  return model.get_method("encode")(inputs).toTensor().argmax().item<int64_t>(); // expect: ml-missing-no-grad
}

int main() {
  auto model = torch::jit::load("model.pt");
  model.eval();
  std::cout << get_ok(model) << set_ok(model, 3) << encode_bad(model, torch::rand({3}));
}
