// Layers that are filled with a constant one by one.
#include <torch/torch.h>

namespace nn = torch::nn;

struct Mlp_bad : nn::Module {
  nn::Linear hidden{nullptr}, output{nullptr};

  Mlp_bad() {
    hidden = register_module("hidden", nn::Linear(784, 128));
    output = register_module("output", nn::Linear(128, 10));
    nn::init::zeros_(hidden->weight); // expect: ml-zero-init: the weights of 'hidden'
    nn::init::zeros_(hidden->bias);
    nn::init::zeros_(output->weight);
    nn::init::zeros_(output->bias);
  }

  torch::Tensor forward(torch::Tensor x) { return output(torch::relu(hidden(x))); }
};

struct Constant_bad : nn::Module {
  nn::Conv2d first = register_module("first", nn::Conv2d(nn::Conv2dOptions(1, 8, 3)));
  nn::Conv2d second = register_module("second", nn::Conv2d(nn::Conv2dOptions(8, 8, 3)));
  nn::Linear last = register_module("last", nn::Linear(8, 2));

  Constant_bad() { initialise(); }

  void initialise() {
    torch::NoGradGuard guard;
    first->weight.fill_(0.1); // expect: ml-zero-init
    second->weight.fill_(0.1);
    last->weight.normal_(0, 0.01);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(first->forward(x));
    x = torch::relu(second->forward(x));
    x = torch::mean(x);
    return last->forward(x);
  }
};

struct Data_bad : nn::Module {
  nn::Linear a, b, c;
  nn::ReLU relu;

  explicit Data_bad(int64_t width) : a(8, width), b(width, width), c(width, 1) {
    register_module("a", a);
    register_module("b", b);
    register_module("c", c);
    a->weight.data().zero_();     // expect: ml-zero-init
    b->weight.data().fill_(0.01); // expect: ml-zero-init: and so are those of 'c'
    nn::init::ones_(c->weight);
  }

  torch::Tensor forward(torch::Tensor x) {
    auto h = relu(a(x));
    h = torch::tanh(b(h));
    return c(h).squeeze(1);
  }
};

void local_bad(torch::Tensor x, torch::Tensor y) {
  nn::Linear first(4, 16), second(16, 1);
  nn::init::constant_(first->weight, 0.5); // expect: ml-zero-init
  nn::init::constant_(second->weight, 0.5);
  torch::mse_loss(second(torch::tanh(first(x))), y).backward();
}

// --- right ---------------------------------------------------------------------------------------

struct LastLayer_ok : nn::Module { // A head that begins with no effect.
  nn::Linear hidden{nullptr}, output{nullptr};

  LastLayer_ok() {
    hidden = register_module("hidden", nn::Linear(784, 128));
    output = register_module("output", nn::Linear(128, 10));
    nn::init::zeros_(output->weight);
    nn::init::zeros_(output->bias);
  }

  torch::Tensor forward(torch::Tensor x) { return output(torch::relu(hidden(x))); }
};

struct Biases_ok : nn::Module {
  nn::Linear hidden = register_module("hidden", nn::Linear(784, 128));
  nn::Linear output = register_module("output", nn::Linear(128, 10));

  Biases_ok() {
    nn::init::xavier_uniform_(hidden->weight);
    nn::init::zeros_(hidden->bias);
    nn::init::xavier_uniform_(output->weight);
    nn::init::zeros_(output->bias);
  }

  torch::Tensor forward(torch::Tensor x) { return output(torch::relu(hidden(x))); }
};

struct Heads_ok : nn::Module { // Side by side, not one behind the other.
  nn::Linear hidden = register_module("hidden", nn::Linear(8, 8));
  nn::Linear scale = register_module("scale", nn::Linear(8, 8));
  nn::Linear shift = register_module("shift", nn::Linear(8, 8));

  Heads_ok() {
    nn::init::zeros_(scale->weight);
    nn::init::zeros_(shift->weight);
  }

  torch::Tensor forward(torch::Tensor x) {
    auto h = torch::relu(hidden(x));
    return x * torch::exp(scale(h)) + shift(h);
  }
};

struct NotAdjacent_ok : nn::Module {
  nn::Linear a = register_module("a", nn::Linear(8, 8));
  nn::Linear b = register_module("b", nn::Linear(8, 8));
  nn::Linear c = register_module("c", nn::Linear(8, 8));

  NotAdjacent_ok() {
    nn::init::zeros_(a->weight);
    nn::init::zeros_(c->weight);
  }

  torch::Tensor forward(torch::Tensor x) { return c(torch::relu(b(torch::relu(a(x))))); }
};

struct LinearModel_ok : nn::Module { // Logistic regression has no hidden neurons.
  nn::Linear fc = register_module("fc", nn::Linear(784, 10));

  LinearModel_ok() {
    nn::init::zeros_(fc->weight);
    nn::init::zeros_(fc->bias);
  }

  torch::Tensor forward(torch::Tensor x) { return fc(x); }
};

struct OneNeuron_ok : nn::Module {
  nn::Linear squeeze = register_module("squeeze", nn::Linear(8, 1));
  nn::Linear expand = register_module("expand", nn::Linear(1, 8));

  OneNeuron_ok() {
    nn::init::ones_(squeeze->weight);
    nn::init::ones_(expand->weight);
  }

  torch::Tensor forward(torch::Tensor x) { return expand(torch::relu(squeeze(x))); }
};

struct FilledAgain_ok : nn::Module {
  nn::Linear a = register_module("a", nn::Linear(8, 8));
  nn::Linear b = register_module("b", nn::Linear(8, 8));

  FilledAgain_ok() {
    nn::init::zeros_(a->weight);
    nn::init::zeros_(b->weight);
    torch::NoGradGuard guard;
    a->weight.uniform_(-0.1, 0.1);
  }

  torch::Tensor forward(torch::Tensor x) { return b(torch::relu(a(x))); }
};

struct Chosen_ok : nn::Module {
  nn::Linear a = register_module("a", nn::Linear(8, 8));
  nn::Linear b = register_module("b", nn::Linear(8, 8));

  explicit Chosen_ok(bool isTest) {
    if (isTest) {
      nn::init::ones_(a->weight);
      nn::init::ones_(b->weight);
    }
  }

  torch::Tensor forward(torch::Tensor x) { return b(torch::relu(a(x))); }
};

struct Norm_ok : nn::Module {
  nn::Linear a = register_module("a", nn::Linear(8, 8));
  nn::BatchNorm1d norm = register_module("norm", nn::BatchNorm1d(8));
  nn::Linear b = register_module("b", nn::Linear(8, 8));

  Norm_ok() { nn::init::zeros_(b->weight); }

  torch::Tensor forward(torch::Tensor x) { return x + b(torch::relu(norm(a(x)))); }
};

struct Dropout_ok : nn::Module { // What is dropped makes them differ.
  nn::Linear a = register_module("a", nn::Linear(8, 8));
  nn::Dropout dropout = register_module("dropout", nn::Dropout(0.5));
  nn::Linear b = register_module("b", nn::Linear(8, 8));

  Dropout_ok() {
    nn::init::ones_(a->weight);
    nn::init::ones_(b->weight);
  }

  torch::Tensor forward(torch::Tensor x) { return b(dropout(torch::relu(a(x)))); }
};

struct Positions_ok : nn::Module { // So does what is added to each neuron.
  nn::Linear a = register_module("a", nn::Linear(8, 8));
  nn::Linear b = register_module("b", nn::Linear(8, 8));
  torch::Tensor offsets = register_parameter("offsets", torch::randn({8}));

  Positions_ok() {
    nn::init::ones_(a->weight);
    nn::init::ones_(b->weight);
  }

  torch::Tensor forward(torch::Tensor x) { return b(torch::relu(a(x) + offsets)); }
};
