// What forward() computes and throws away. Elsewhere modules and functions are run to warm up or to
// take their time.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct BadImpl : nn::Module {
  BadImpl() {
    hidden = register_module("hidden", nn::Linear(4, 8));
    dropout = register_module("dropout", nn::Dropout(0.5));
  }

  torch::Tensor forward(torch::Tensor x) {
    torch::flatten(x, 1); // expect: ml-discarded-result
    x = hidden(x);
    F::leaky_relu(x);                              // expect: ml-discarded-result
    dropout(x);                                    // expect: ml-discarded-result
    F::dropout(x, F::DropoutFuncOptions().p(0.5)); // expect: ml-discarded-result
    hidden->forward(x);                            // expect: ml-discarded-result
    F::softmax(x, 1);                              // expect: ml-discarded-result
    torch::log_softmax(x, 1);                      // expect: ml-discarded-result
    torch::cat({x, x}, 1);                         // expect: ml-discarded-result (no fix)
    return x;
  }

  nn::Linear hidden{nullptr};
  nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Bad);

struct InPlaceImpl : nn::Module {
  InPlaceImpl() : relu(nn::ReLUOptions(true)) {
    register_module("relu", relu);
    dropout = register_module("dropout", nn::Dropout(nn::DropoutOptions(0.5).inplace(true)));
  }

  torch::Tensor forward(torch::Tensor x) {
    relu(x);
    dropout(x);
    F::relu(x, F::ReLUFuncOptions().inplace(true));
    torch::relu_(x);
    return x;
  }

  nn::ReLU relu;
  nn::Dropout dropout{nullptr};
};
TORCH_MODULE(InPlace);

// A user's own layer may have other effects.
struct MemoryImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) { return last = x.detach(); }
  torch::Tensor last;
};
TORCH_MODULE(Memory);

struct KeepsImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    memory(x);
    return x + memory->last;
  }
  Memory memory;
};
TORCH_MODULE(Keeps);

// Run for their effects, or to take their time.
struct EffectsImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    norm(x);
    recorder->forward(x);
    if (isProfiled)
      linear(x);
    return linear(x);
  }
  nn::BatchNorm1d norm = register_module("norm", nn::BatchNorm1d(4));
  nn::Sequential recorder = register_module("recorder", nn::Sequential(Memory()));
  nn::Linear linear = register_module("linear", nn::Linear(4, 4));
  bool isProfiled = false;
};
TORCH_MODULE(Effects);

void warm_up_ok(nn::Linear layer, torch::Tensor x) {
  torch::NoGradGuard guard;
  layer(x);
  for (int i = 0; i < 10; ++i)
    torch::matmul(x, x);
}
