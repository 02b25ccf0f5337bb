// Forward passes that differentiate what they compute, or may do so out of sight.
#include <torch/torch.h>

struct Graph {
  torch::Tensor positions, edges;
};

// Forces are derivatives of an energy.
struct PotentialImpl : torch::nn::Module {
  torch::nn::Linear layer = register_module("layer", torch::nn::Linear(3, 1));
  torch::Tensor forward(torch::Tensor positions) {
    auto energy = layer(positions).sum();
    return torch::autograd::grad({energy}, {positions})[0];
  }
};
TORCH_MODULE(Potential);
struct Wrapper : torch::nn::Module {
  Potential inner = register_module("inner", Potential());
  torch::Tensor forward(torch::Tensor positions) { return inner(positions) * 2; }
};
void seen_ok(Potential &potential, Wrapper &wrapper, torch::Tensor x) {
  std::cout << potential->forward(x).item<float>();
  std::cout << potential(x).item<float>();
  std::cout << wrapper.forward(x).item<float>();
}

struct UnseenImpl : torch::nn::Module {
  torch::nn::Linear layer = register_module("layer", torch::nn::Linear(3, 1));
  std::tuple<torch::Tensor, torch::Tensor> forward(Graph &graph);
};
TORCH_MODULE(Unseen);
struct PlainImpl : torch::nn::Module {
  torch::nn::Linear layer = register_module("layer", torch::nn::Linear(3, 1));
  std::tuple<torch::Tensor, torch::Tensor> forward(const torch::Tensor &x, int64_t step);
};
TORCH_MODULE(Plain);
void unseen(Unseen &unseen, Graph &graph) {
  auto [energy, forces] = unseen->forward(graph); // expect: ml-missing-no-grad (level 2)
  std::cout << energy.item<float>() << forces.sum().item<float>();
}
void plain_bad(Plain &plain, torch::Tensor x) {
  std::cout << std::get<0>(plain->forward(x, 4)).item<float>(); // expect: ml-missing-no-grad (level 1)
}

// Forces of a compiled model that gives a tuple.
void of_a_tuple_ok(torch::jit::Module &model, torch::Tensor positions) {
  auto output = model.forward({positions}).toTuple();
  torch::Tensor energy = output->elements()[1].toTensor();
  auto forces = torch::autograd::grad({energy}, {positions});
  std::cout << forces[0].sum().item<float>() << energy.item<float>();
}
void of_a_tuple_bad(torch::jit::Module &model, torch::Tensor positions) {
  auto output = model.forward({positions}).toTuple(); // expect: ml-missing-no-grad (level 1)
  const auto &elements = output->elements();
  std::cout << elements[1].toTensor().item<float>();
}

// Other methods of a compiled model than forward().
void of_a_method_bad(torch::jit::Module &model, torch::Tensor x) {
  auto y = model.get_method("encode")({x}).toTensor(); // expect: ml-missing-no-grad (level 1)
  std::cout << y.item<float>();
}
void of_a_method_ok(torch::jit::Module &model, torch::Tensor x) {
  model.get_method("encode")({x}).toTensor().sum().backward();
  torch::NoGradGuard no_grad;
  std::cout << model.get_method("encode")({x}).toTensor().item<float>();
}
