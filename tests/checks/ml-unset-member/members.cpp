// Members that nothing gives a value.
#include <torch/torch.h>

#include <memory>
#include <utility>

namespace nn = torch::nn;

struct ForgottenBadImpl : nn::Module {
  ForgottenBadImpl() { first = register_module("first", nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) {
    return second(torch::relu(first(x))); // expect: ml-unset-member (no fix): nothing ever gives 'second' a value: this crashes
  }
  nn::Linear first{nullptr};
  nn::Linear second{nullptr}; // note: it is declared here, without a value
};

struct RegisteredBadImpl : nn::Module {
  RegisteredBadImpl() {
    fc = register_module("fc", fc); // expect: ml-unset-member: nothing ever gives 'fc' a value: this throws
  }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(x); }
  nn::Linear fc{nullptr}; // note: it is declared here
};

struct ArrowBadImpl : nn::Module {
  explicit ArrowBadImpl(int) {}
  torch::Tensor forward(torch::Tensor x) {
    return fc->forward(x); // expect: ml-unset-member: nothing ever gives 'fc' a value: this throws
  }
  nn::Linear fc{nullptr}; // note: it is declared here
};

struct TensorBadImpl : nn::Module {
  TensorBadImpl() { fc = register_module("fc", nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) {
    return fc(x) * scale; // expect: ml-unset-member: nothing ever gives 'scale' a value: this throws
  }
  nn::Linear fc{nullptr};
  torch::Tensor scale; // note: it is declared here
};

class TrainerBad {
public:
  explicit TrainerBad(nn::Linear model) : net(std::move(model)) {}
  void step(torch::Tensor x) {
    optimizer->zero_grad(); // expect: ml-unset-member: nothing ever gives 'optimizer' a value: this crashes
    net(x).sum().backward();
    optimizer->step();
  }

private:
  nn::Linear net;
  std::unique_ptr<torch::optim::SGD> optimizer; // note: it is declared here
};

// ---- with a value

struct SetImpl : nn::Module {
  SetImpl() : mean(torch::zeros({4})) {
    fc = register_module("fc", nn::Linear(4, 4));
    build();
  }
  void build() { head = register_module("head", nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return head(fc(x) - mean) * scale; }
  nn::Linear fc{nullptr}, head{nullptr};
  torch::Tensor mean, scale = torch::ones({4});
};

struct AskedImpl : nn::Module {
  AskedImpl() { fc = register_module("fc", nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) {
    if (scale.defined())
      x = x * scale;
    if (head.ptr() != nullptr)
      x = head(x);
    return fc(x);
  }
  nn::Linear fc{nullptr}, head{nullptr};
  torch::Tensor scale;
};

/// A layer without a bias.
struct BiaslessImpl : nn::Module {
  BiaslessImpl() {
    weight = register_parameter("weight", torch::randn({4, 4}));
    register_parameter("bias", bias);
  }
  torch::Tensor forward(torch::Tensor x) { return torch::nn::functional::linear(x, weight, bias); }
  torch::Tensor weight, bias;
};

void fill(nn::Linear &layer) { layer = nn::Linear(4, 4); }

struct FilledImpl : nn::Module {
  FilledImpl() {
    fill(fc);
    register_module("fc", fc);
  }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  nn::Linear fc{nullptr};
};

struct OutsideImpl : nn::Module {
  OutsideImpl() = default;
  explicit OutsideImpl(int) {}
  torch::Tensor forward(torch::Tensor x) { return fc(x) * scale; }
  nn::Linear fc{nullptr};
  torch::Tensor scale;
};
TORCH_MODULE(Outside);

Outside make_ok() {
  Outside net;
  net->fc = net->register_module("fc", nn::Linear(4, 4));
  std::swap(net->scale, *std::make_unique<torch::Tensor>(torch::ones({4})));
  return net;
}

/// Elsewhere implemented.
struct UnseenImpl : nn::Module {
  UnseenImpl();
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  nn::Linear fc{nullptr};
};

class Trainer {
public:
  explicit Trainer(nn::Linear model) : net(std::move(model)) {}
  void prepare() { optimizer = std::make_unique<torch::optim::SGD>(net->parameters(), 0.1); }
  void reset() { other.reset(new torch::optim::SGD(net->parameters(), 0.1)); }
  void step(torch::Tensor x) {
    optimizer->zero_grad();
    other->zero_grad();
    net(x).sum().backward();
    optimizer->step();
    other->step();
  }

private:
  nn::Linear net;
  std::unique_ptr<torch::optim::SGD> optimizer, other;
};

/// Whoever makes it gives it its parts.
struct Parts {
  torch::Tensor apply(torch::Tensor x) { return fc(x) * scale; }
  nn::Linear fc{nullptr};
  torch::Tensor scale;
};

Parts parts_ok() { return {nn::Linear(4, 4), torch::ones({4})}; }

// A holder that is made of nothing holds a new module.
struct ListedImpl : torch::nn::Module {
  ListedImpl();
  explicit ListedImpl(int64_t count);
  torch::nn::ModuleList layers{nullptr};
};
ListedImpl::ListedImpl() : layers(torch::nn::ModuleList()) {}
ListedImpl::ListedImpl(int64_t count) : layers(torch::nn::ModuleList()) {
  for (int64_t i = 0; i < count; ++i)
    layers->push_back(torch::nn::Linear(2, 2));
  register_module("layers", layers);
}
