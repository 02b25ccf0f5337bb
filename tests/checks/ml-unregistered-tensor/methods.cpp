// Tensors that other methods than forward() use.
#include <torch/torch.h>

struct PolicyImpl : torch::nn::Module {
  PolicyImpl() {
    actor = register_module("actor", torch::nn::Linear(4, 2));
    logStd = torch::zeros({2}, torch::requires_grad());
    scale = torch::ones({2});
  }
  torch::Tensor forward(torch::Tensor x) { return actor(x); }
  torch::Tensor logProb(torch::Tensor mean, torch::Tensor action) {
    return (-(action - mean).pow(2) / logStd.exp() - logStd).sum(-1);
  }
  torch::Tensor scaled(torch::Tensor x) { return x * scale; }
  torch::nn::Linear actor{nullptr};
  torch::Tensor logStd; // expect: ml-unregistered-tensor: 'logStd' is used in logProb() but never registered: parameters(), to() and save() do not
  torch::Tensor scale;  // expect: ml-unregistered-tensor: 'scale' is used in scaled() but never registered: to() and save() do not
};
TORCH_MODULE(Policy);

void train_bad(torch::Tensor x, torch::Tensor action) {
  Policy policy;
  torch::optim::Adam optimizer(policy->parameters());
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    (-policy->logProb(policy->scaled(policy->forward(x)), action).mean()).backward();
    optimizer.step();
  }
}

// It is made to be trained: whoever calls the method.
struct Entropy : torch::nn::Module {
  Entropy() : logStd(torch::zeros({2}, torch::requires_grad())) {}
  torch::Tensor forward(torch::Tensor x) { return x; }
  torch::Tensor entropy() { return logStd.sum(); }
  torch::Tensor logStd; // expect: ml-unregistered-tensor: used in entropy()
};

// Nobody trains what these compute.
struct Shown : torch::nn::Module {
  Shown() : mean(torch::rand({3})), deviation(torch::zeros({3}, torch::requires_grad())) {}
  torch::Tensor forward(torch::Tensor x) { return x; }
  torch::Tensor denormalize_ok(torch::Tensor x) { return x + mean; }
  torch::Tensor shown_ok(torch::Tensor x) {
    torch::NoGradGuard noGrad;
    return x * deviation;
  }
  float number_ok() { return deviation.sum().item<float>(); }
  torch::Tensor mean, deviation;
};

// Trained by hand.
struct ByHand : torch::nn::Module {
  ByHand() : shift(torch::zeros({3}, torch::requires_grad())) {
    start = torch::zeros({3}, torch::requires_grad());
    input = torch::rand({3}, torch::requires_grad());
  }
  torch::Tensor forward(torch::Tensor x) { return x; }
  torch::Tensor loss_ok(torch::Tensor x) { return (x + shift + start).sum(); }
  void update() {
    shift.data().sub_(shift.grad() * 0.1);
    torch::NoGradGuard noGrad;
    start.mul_(0.9);
  }
  torch::Tensor slope_ok(torch::Tensor x) {
    auto y = (x * input).sum();
    return torch::autograd::grad({y}, {input})[0];
  }
  torch::Tensor shift, start, input;
};

// Handed to an optimizer, or to others.
struct HandedOut : torch::nn::Module {
  HandedOut() {
    temperature = torch::zeros({3}, torch::requires_grad());
    bias = torch::zeros({3}, torch::requires_grad());
  }
  torch::Tensor forward(torch::Tensor x) { return x; }
  torch::Tensor calibrate_ok(torch::Tensor x) { return x / temperature + bias; }
  torch::Tensor getBias() { return bias; }
  torch::Tensor temperature, bias;
};
void train_ok(torch::Tensor x) {
  HandedOut model;
  torch::optim::SGD optimizer(std::vector<torch::Tensor>{model.temperature, model.getBias()}, 0.1);
  optimizer.zero_grad();
  model.calibrate_ok(x).sum().backward();
  optimizer.step();
}

struct Registered : torch::nn::Module {
  Registered() { logStd = register_parameter("logStd", torch::zeros({2}, torch::requires_grad())); }
  torch::Tensor forward(torch::Tensor x) { return x; }
  torch::Tensor entropy_ok() { return logStd.sum(); }
  torch::Tensor logStd;
};

// A state that a method changes.
struct Running : torch::nn::Module {
  Running() : mean(torch::zeros({3})), last(torch::zeros({3})) {}
  torch::Tensor forward(torch::Tensor x) { return x; }
  torch::Tensor normalize_ok(torch::Tensor x) {
    mean.mul_(0.9).add_(0.1 * x.detach().mean(0));
    last = x.detach();
    return x - mean + last;
  }
  torch::Tensor mean, last;
};
void run_ok(torch::Tensor x) {
  Running model;
  model.normalize_ok(x).sum().backward();
}
