// Parameters of a module, which are leaves from their registration on.
#include <torch/torch.h>

using torch::Tensor;

struct Noisy : torch::nn::Module {
  explicit Noisy(int64_t size) {
    mean = register_parameter("mean", torch::randn({size, size}));
    scale = register_parameter("scale", torch::randn({size, size}));
    noise = register_buffer("noise", torch::randn({size, size}));
    reset();
  }
  void reset() {
    mean.uniform_(-1, 1); // expect: ml-manual-update-graph: 'mean' is changed in place
    scale.fill_(0.5);     // expect: ml-manual-update-graph: 'scale' is changed in place
    noise.fill_(0);
  }
  Tensor forward(Tensor x) { return torch::matmul(x, mean + scale * noise); }
  Tensor mean, scale, noise;
};

struct Initialised : torch::nn::Module {
  Initialised() : weight(register_parameter("weight", torch::empty({2, 2}))) {
    weight.normal_(); // expect: ml-manual-update-graph: 'weight' is changed in place
  }
  Tensor forward(Tensor x) { return torch::matmul(x, weight); }
  Tensor weight;
};

struct Named : torch::nn::Module {
  Named() {
    weight = torch::empty({2, 2});
    register_parameter("weight", weight);
    weight.zero_(); // expect: ml-manual-update-graph: 'weight' is changed in place
  }
  Tensor weight;
};

// ---- right

struct Guarded : torch::nn::Module {
  Guarded() {
    weight = register_parameter("weight", torch::empty({2, 2}));
    reset();
    weight.data().fill_(1);
    weight.detach().fill_(1);
    torch::nn::init::zeros_(weight);
  }
  void reset() {
    torch::NoGradGuard guard;
    weight.uniform_(-1, 1);
  }
  Tensor weight;
};

struct Before : torch::nn::Module {
  Before() {
    weight = torch::empty({2, 2});
    reset();
    register_parameter("weight", weight);
  }
  void reset() { weight.uniform_(-1, 1); }
  Tensor weight;
};

struct Fixed : torch::nn::Module {
  explicit Fixed(bool trained) {
    table = register_parameter("table", torch::empty({2, 2}), false);
    table.fill_(1);
    maybe = register_parameter("maybe", torch::empty({2, 2}), trained);
    maybe.fill_(1);
  }
  Tensor table, maybe;
};

struct Frozen : torch::nn::Module {
  Frozen() {
    weight = register_parameter("weight", torch::empty({2, 2}));
    bias = register_parameter("bias", torch::empty({2}));
    for (auto &parameter : parameters())
      parameter.requires_grad_(false);
    weight.fill_(1);
    bias.requires_grad_(false);
    bias.fill_(0);
  }
  Tensor weight, bias;
};

void freeze(torch::nn::Module &module);
struct FrozenElsewhere : torch::nn::Module {
  FrozenElsewhere() {
    weight = register_parameter("weight", torch::empty({2, 2}));
    freeze(*this);
    weight.fill_(1);
  }
  Tensor weight;
};

struct Replaced : torch::nn::Module {
  Replaced() {
    weight = register_parameter("weight", torch::empty({2, 2}));
    Tensor scaled = weight * 2;
    scaled.fill_(1);
    scaled = torch::zeros_like(weight);
    scaled.fill_(1);
  }
  Tensor weight;
};

// Whoever calls it may have a guard.
struct Public : torch::nn::Module {
  Public() { weight = register_parameter("weight", torch::empty({2, 2})); }
  void reset_ok() { weight.fill_(1); }
  Tensor weight;
};
