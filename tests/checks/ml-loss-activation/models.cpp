// What a model ends in decides which loss it can have.
#include <torch/torch.h>

namespace F = torch::nn::functional;
using torch::Tensor;

struct ProbabilitiesImpl : torch::nn::Module {
  ProbabilitiesImpl() { register_module("fc", fc); }
  Tensor forward(Tensor x) {
    x = torch::relu(fc(x));
    return torch::softmax(x, 1); // note: computed here
  }
  torch::nn::Linear fc{10, 10};
};
TORCH_MODULE(Probabilities);

struct LogarithmsImpl : torch::nn::Module {
  LogarithmsImpl() { register_module("fc", fc); }
  Tensor forward(Tensor x) { return torch::log_softmax(fc(x), 1); }
  torch::nn::Linear fc{10, 10};
};
TORCH_MODULE(Logarithms);

struct ScoresImpl : torch::nn::Module {
  ScoresImpl() { register_module("fc", fc); }
  Tensor forward(Tensor x) { return fc(torch::relu(x)).squeeze(); } // note: computed here
  torch::nn::Linear fc{10, 10};
};
TORCH_MODULE(Scores);

/// It depends.
struct EitherImpl : torch::nn::Module {
  EitherImpl() { register_module("fc", fc); }
  Tensor forward(Tensor x) {
    x = fc(x);
    return is_training() ? x : torch::softmax(x, 1);
  }
  torch::nn::Linear fc{10, 10};
};
TORCH_MODULE(Either);

/// One model in another.
struct OuterImpl : torch::nn::Module {
  OuterImpl() { register_module("inner", inner); }
  Tensor forward(Tensor x) { return inner(x); }
  Probabilities inner;
};
TORCH_MODULE(Outer);

/// The last layer of a container.
struct ContainerImpl : torch::nn::Module {
  ContainerImpl() { layers = register_module("layers", layers); }
  Tensor forward(Tensor x) { return layers->forward(x); } // note: computed here
  torch::nn::Sequential layers{torch::nn::Linear(10, 10), torch::nn::Softmax(1)};
};
TORCH_MODULE(Container);

struct RegisteredImpl : torch::nn::Module {
  RegisteredImpl() {
    layers = register_module("layers",
                             torch::nn::Sequential(torch::nn::ReLU(), torch::nn::Linear(10, 10)));
  }
  Tensor forward(Tensor x) { return layers->forward(x); } // note: computed here
  torch::nn::Sequential layers{nullptr};
};
TORCH_MODULE(Registered);

void container_bad(Container net, Tensor x, Tensor y) {
  F::cross_entropy(net(x), y).backward(); // expect: ml-loss-activation (no fix)
}
void registered_bad(Registered net, Tensor x, Tensor y) {
  F::nll_loss(net(x), y).backward(); // expect: ml-loss-activation (no fix)
}
void registered_ok(Registered net, Tensor x, Tensor y) { F::cross_entropy(net(x), y).backward(); }

struct NamedImpl : torch::nn::Module {
  NamedImpl() {
    layers =
        register_module("layers", torch::nn::Sequential({{"scores", torch::nn::Linear(10, 10)},
                                                         {"activation", torch::nn::Softmax(1)}}));
  }
  Tensor forward(Tensor x) { return layers->forward(x); } // note: computed here
  torch::nn::Sequential layers{nullptr};
};
TORCH_MODULE(Named);

void named_bad(Named net, Tensor x, Tensor y) {
  F::cross_entropy(net(x), y).backward(); // expect: ml-loss-activation (no fix)
}
void named_ok(Named net, Tensor x, Tensor y) { F::nll_loss(net(x).log(), y).backward(); }

void local_container_bad(Tensor x, Tensor y) {
  torch::nn::Sequential net(torch::nn::Linear(10, 10), torch::nn::Softmax(1));
  F::cross_entropy(net->forward(x), y).backward(); // expect: ml-loss-activation (no fix)
}
void filled_bad(Tensor x, Tensor y) {
  torch::nn::Sequential net;
  net->push_back(torch::nn::Linear(10, 10));
  net->push_back(torch::nn::Softmax(1));
  F::cross_entropy(net->forward(x), y).backward(); // expect: ml-loss-activation (no fix)
}
void filled_ok(Tensor x, Tensor y) {
  torch::nn::Sequential net;
  net->push_back(torch::nn::Softmax(1));
  net->push_back(torch::nn::Linear(10, 10));
  F::cross_entropy(net->forward(x), y).backward();
}

void probabilities_bad(Probabilities net, Tensor x, Tensor y) {
  auto output = net->forward(x);
  F::nll_loss(output, y).backward(); // expect: ml-loss-activation (no fix): are the probabilities
}

void nested_bad(Outer net, Tensor x, Tensor y) {
  F::cross_entropy(net(x), y).backward(); // expect: ml-loss-activation (no fix)
}

void scores_bad(Scores net, Tensor x, Tensor y) {
  torch::nll_loss(net(x), y).backward();             // expect: ml-loss-activation (no fix)
  torch::binary_cross_entropy(net(x), y).backward(); // expect: ml-loss-activation (no fix)
}

Tensor lossOf(Tensor output, Tensor y) {
  return torch::nll_loss(output, y); // expect: ml-loss-activation (no fix)
}
void in_a_helper_bad(Probabilities net, Tensor x, Tensor y) { lossOf(net(x), y).backward(); }

void logarithms_ok(Logarithms net, Tensor x, Tensor y) { F::nll_loss(net(x), y).backward(); }
void scores_ok(Scores net, Tensor x, Tensor y) { F::cross_entropy(net(x), y).backward(); }
void either_ok(Either net, Tensor x, Tensor y) { F::cross_entropy(net(x), y).backward(); }
void logarithm_taken_ok(Probabilities net, Tensor x, Tensor y) {
  F::nll_loss(torch::log(net(x)), y).backward();
}

// Layers that a closure makes.
void made_by_closure_bad(torch::Tensor x, torch::Tensor y) {
  auto activation = [] { return torch::nn::Softmax(1); };
  torch::nn::Sequential net(torch::nn::Linear(4, 3), activation());
  torch::cross_entropy_loss(net->forward(x), y); // expect: ml-loss-activation (no fix)
}
void made_by_closure_ok(torch::Tensor x, torch::Tensor y) {
  auto activation = [] { return torch::nn::ReLU(); };
  torch::nn::Sequential net(torch::nn::Softmax(1), activation(), torch::nn::Linear(4, 3));
  torch::cross_entropy_loss(net->forward(x), y);
}
