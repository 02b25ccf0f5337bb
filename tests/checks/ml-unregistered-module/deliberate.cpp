// Modules that are left out on purpose.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::Tensor;

// Owned elsewhere: whoever made it registers it.
struct HandedIn_ok : nn::Module {
  HandedIn_ok(nn::Linear shared, std::shared_ptr<nn::LinearImpl> pointer, nn::LinearImpl *raw,
           nn::LinearImpl &reference)
      : shared(shared), pointer(std::move(pointer)), reference(reference) {
    this->raw = raw;
  }
  Tensor forward(Tensor x) {
    if (auto locked = weak.lock())
      x = locked->forward(x);
    return reference.forward(raw->forward(pointer->forward(shared(x))));
  }
  void watch(std::shared_ptr<nn::LinearImpl> other) { weak = other; }
  nn::Linear shared;
  std::shared_ptr<nn::LinearImpl> pointer;
  nn::LinearImpl *raw;
  nn::LinearImpl &reference;
  std::weak_ptr<nn::LinearImpl> weak;
};

// Not trained, and not meant to be.
struct Frozen : nn::Module {
  Frozen() : critic(4, 4), frozen(4, 4) {
    for (auto &parameter : frozen->parameters())
      parameter.set_requires_grad(false);
  }
  Tensor forward(Tensor x) {
    Tensor target;
    {
      torch::NoGradGuard guard;
      target = critic(x);
    }
    return frozen(x) - target;
  }
  nn::Linear critic, frozen;
};

struct GuardedElsewhereBad : nn::Module {
  GuardedElsewhereBad() : fc(4, 4) {}
  Tensor forward(Tensor x) {
    {
      torch::NoGradGuard guard;
      x = x * 2;
    }
    return fc(x);
  }
  nn::Linear fc; // expect: ml-unregistered-module
};

// By hand.
struct ByHand : nn::Module {
  ByHand() : head(4, 4), body(4, 4) {}
  Tensor forward(Tensor x) { return head(body(x)); }
  std::vector<Tensor> parameters() const { return head->parameters(); }
  void train(bool on) override {
    nn::Module::train(on);
    body->train(on);
  }
  nn::Linear head, body;
};

// In evaluation mode for a while, but to be trained.
struct SampledBad : nn::Module {
  SampledBad() : teacher(4, 4), student(4, 4) { teacher->eval(); }
  Tensor sample(Tensor x) {
    student->eval();
    x = student(x) - teacher(x);
    student->train();
    return x;
  }
  nn::Linear teacher;
  nn::Linear student; // expect: ml-unregistered-module: 'student'
};

struct GivenToOptimizer : nn::Module {
  GivenToOptimizer() : fc(4, 4) {}
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc;
};
void optimise(GivenToOptimizer &net) { torch::optim::SGD optimizer(net.fc->parameters(), 0.1); }

struct HandedOut : nn::Module {
  HandedOut() : fc(4, 4) {}
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear &layer() { return fc; }
  nn::Linear fc;
};
