// Members that are registered, and get another tensor later.
#include <torch/torch.h>

namespace nn = torch::nn;

struct ScaledBad : nn::Module {
  ScaledBad() {
    weight = register_parameter("weight", torch::randn({4}));
    weight = weight * 0.02; // expect: ml-reassigned-parameter (no fix): tensor 'weight' is replaced, but the old one stays registered
    mean = register_buffer("mean", torch::zeros({4}));
    mean = torch::ones({4}); // expect: ml-reassigned-parameter (no fix)
  }
  torch::Tensor forward(torch::Tensor x) { return (x - mean) * weight; }
  torch::Tensor weight, mean;
};

struct RunningBad : nn::Module {
  RunningBad() { mean = register_buffer("mean", torch::zeros({4})); }
  torch::Tensor forward(torch::Tensor x) {
    if (is_training())
      mean = mean * 0.9 + x.mean(0).detach() * 0.1; // expect: ml-reassigned-parameter (no fix)
    return x - mean;
  }
  torch::Tensor mean;
};

struct CountedBad : nn::Module {
  CountedBad() : count(register_buffer("count", torch::zeros({1}))) {}
  torch::Tensor forward(torch::Tensor x) {
    count = count + 1; // expect: ml-reassigned-parameter (no fix): 'count' is replaced
    return x / count;
  }
  torch::Tensor count;
};

struct DecayedBad : nn::Module {
  DecayedBad() {
    weight = torch::randn({4});
    register_parameter("weight", weight);
  }
  torch::Tensor forward(torch::Tensor x) { return x * weight; }
  void decay() {
    torch::NoGradGuard guard;
    weight = weight.mul(0.9); // expect: ml-reassigned-parameter (no fix)
  }
  void reset() { weight = torch::randn({4}); } // expect: ml-reassigned-parameter (no fix)
  torch::Tensor weight;
};

// ---- in place, or registered again

struct InPlace : nn::Module {
  InPlace() {
    weight = register_parameter("weight", torch::randn({4}));
    mean = register_buffer("mean", torch::zeros({4}));
  }
  torch::Tensor forward(torch::Tensor x) {
    torch::NoGradGuard guard;
    mean.mul_(0.9).add_(x.mean(0), 0.1);
    mean.copy_(mean * 0.9 + x.mean(0) * 0.1);
    mean *= 0.5;
    weight.set_data(weight * 0.9);
    weight.data() = weight * 0.9;
    return x - mean;
  }
  torch::Tensor weight, mean;
};

struct MadeBefore : nn::Module {
  MadeBefore() {
    weight = torch::randn({4});
    weight = weight * 0.02;
    weight = register_parameter("weight", weight);
  }
  torch::Tensor forward(torch::Tensor x) { return x * weight; }
  torch::Tensor weight;
};

// What a module keeps between its calls.
struct Carrying : nn::Module {
  Carrying() { state = register_buffer("state", torch::zeros({4})); }
  torch::Tensor forward(torch::Tensor x) { return x + state; }
  void reset() { state = torch::zeros({4}); }
  torch::Tensor state;
};

struct Unregistered : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    last = last * 0.5 + x;
    return last;
  }
  torch::Tensor last = torch::zeros({4});
};

struct Rebuilt : nn::Module {
  Rebuilt() { build(4); }
  void build(int64_t size) { weight = register_parameter("weight", torch::randn({size})); }
  void scale() { weight = weight * 0.5; } // expect: ml-reassigned-parameter
  torch::Tensor forward(torch::Tensor x) { return x * weight; }
  torch::Tensor weight;
};

struct Locally : nn::Module {
  Locally() { weight = register_parameter("weight", torch::randn({4})); }
  torch::Tensor forward(torch::Tensor x) {
    auto scaled = weight * 0.5;
    scaled = scaled * 2;
    return x * scaled;
  }
  torch::Tensor weight;
};

struct Averaged : nn::Module {
  explicit Averaged(int64_t n) : clip(register_buffer("clip", torch::zeros({1}))) {
    clip[0] = clip[0] / static_cast<float>(n);
  }
  void halve_ok() { clip[0] = clip[0] * 0.5; }
  torch::Tensor forward(torch::Tensor x) { return x * clip; }
  torch::Tensor clip;
};

// ---- from outside

struct Attention : nn::Module {
  Attention() { query = register_parameter("query", torch::rand({4, 4})); }
  torch::Tensor forward(torch::Tensor x) { return x.matmul(query); }
  torch::Tensor query;
};

torch::Tensor transposed_bad(nn::Linear other, torch::Tensor x) {
  Attention attention;
  attention.query = other->weight.t(); // expect: ml-reassigned-parameter (no fix): 'query' is replaced
  return attention.forward(x);
}
