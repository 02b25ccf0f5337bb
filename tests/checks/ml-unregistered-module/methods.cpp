// Modules that other methods than forward() use.
#include <torch/torch.h>

struct PolicyImpl : torch::nn::Module {
  PolicyImpl() : head(4, 1), probe(4, 1), target(4, 1) {
    actor = register_module("actor", torch::nn::Linear(4, 2));
    other = register_module("other", torch::nn::Linear(4, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return actor(x); }
  torch::Tensor value(torch::Tensor x) { return head(x); }
  torch::Tensor registered_ok(torch::Tensor x) { return other(x); }
  // Nobody trains what this computes, as far as the unit shows.
  torch::Tensor probed_ok(torch::Tensor x) { return probe(x); }
  torch::Tensor target_ok(torch::Tensor x) {
    torch::NoGradGuard noGrad;
    return target(x);
  }
  torch::nn::Linear actor{nullptr}, other{nullptr};
  torch::nn::Linear head; // expect: ml-unregistered-module: 'head' is used in value() but never registered
  torch::nn::Linear probe, target;
};
TORCH_MODULE(Policy);

void train(torch::Tensor x) {
  Policy policy;
  torch::optim::Adam optimizer(policy->parameters());
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = policy->forward(x).mean() + policy->value(x).mean() + policy->registered_ok(x).mean();
    (loss - policy->target_ok(x).mean()).backward();
    optimizer.step();
  }
}

// Kept out of parameters() on purpose, and looked after.
struct PerceptualImpl : torch::nn::Module {
  PerceptualImpl() : features(4, 4), critic(4, 1) {
    features->eval();
    output = register_module("output", torch::nn::Linear(4, 4));
  }
  torch::Tensor forward(torch::Tensor x) { return output(x); }
  torch::Tensor distance_ok(torch::Tensor x, torch::Tensor y) {
    return (features(x) - features(y)).pow(2).mean() + critic(x).mean();
  }
  torch::nn::Linear features, critic, output{nullptr};
};
TORCH_MODULE(Perceptual);

void train_perceptual(torch::Tensor x, torch::Tensor y) {
  Perceptual net;
  torch::optim::Adam optimizer(net->parameters());
  torch::optim::Adam other(net->critic->parameters());
  net->distance_ok(net(x), y).backward();
  optimizer.step();
  other.step();
}
