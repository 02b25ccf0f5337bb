// Functions that are called for all parts of a module.
#include <torch/torch.h>

namespace nn = torch::nn;

struct Mlp : nn::Module {
  nn::Linear hidden = register_module("hidden", nn::Linear(784, 128));
  nn::Linear output = register_module("output", nn::Linear(128, 10));

  torch::Tensor forward(torch::Tensor x) { return output(torch::relu(hidden(x))); }
};

void fill_with_zeros(nn::Module &module) {
  if (auto *linear = module.as<nn::Linear>()) {
    nn::init::zeros_(linear->weight); // expect: ml-zero-init: and so are those of 'output'
    nn::init::zeros_(linear->bias);
  }
}

void function_bad() {
  auto net = std::make_shared<Mlp>();
  net->apply(fill_with_zeros);
}

void closure_bad() {
  Mlp net;
  torch::NoGradGuard guard;
  net.apply([](nn::Module &module) {
    auto *linear = module.as<nn::LinearImpl>();
    if (linear)
      linear->weight.fill_(0.01); // expect: ml-zero-init
  });
}

struct Own_bad : nn::Module {
  nn::Linear a = register_module("a", nn::Linear(8, 8));
  nn::Linear b = register_module("b", nn::Linear(8, 8));

  Own_bad() {
    apply([](nn::Module &module) {
      if (auto *linear = module.as<nn::Linear>())
        nn::init::constant_(linear->weight, 0.1); // expect: ml-zero-init
    });
  }

  torch::Tensor forward(torch::Tensor x) { return b(torch::tanh(a(x))); }
};

// --- right ---------------------------------------------------------------------------------------

void fill_usual(nn::Module &module) {
  if (auto *linear = module.as<nn::Linear>()) {
    nn::init::xavier_uniform_(linear->weight);
    nn::init::constant_(linear->bias, 0);
  }
}

void usual_ok() {
  auto net = std::make_shared<Mlp>();
  net->apply(fill_usual);
}

struct Single : nn::Module {
  nn::Linear fc = register_module("fc", nn::Linear(8, 2));

  torch::Tensor forward(torch::Tensor x) { return fc(x); }
};

void single_ok() {
  Single net;
  net.apply(fill_with_zeros);
}

struct Norms : nn::Module {
  nn::Linear a = register_module("a", nn::Linear(8, 8));
  nn::BatchNorm1d norm = register_module("norm", nn::BatchNorm1d(8));
  nn::Linear b = register_module("b", nn::Linear(8, 8));

  torch::Tensor forward(torch::Tensor x) { return b(torch::relu(norm(a(x)))); }
};

void norms_ok() {
  Norms net;
  net.apply([](nn::Module &module) {
    if (auto *norm = module.as<nn::BatchNorm1d>())
      nn::init::constant_(norm->weight, 1);
  });
}

void some_ok(int64_t classes) {
  Mlp net;
  net.apply([&](nn::Module &module) {
    if (auto *linear = module.as<nn::Linear>())
      if (linear->weight.size(0) == classes)
        nn::init::zeros_(linear->weight);
  });
}

void filled_again_ok() {
  Mlp net;
  net.apply([](nn::Module &module) {
    if (auto *linear = module.as<nn::Linear>()) {
      nn::init::zeros_(linear->weight);
      nn::init::kaiming_normal_(linear->weight);
    }
  });
}
