// Tensors that are trained, and what is computed of them.
#include <torch/torch.h>

#include <cmath>

using torch::optim::Adam;
using torch::optim::SGD;

void scaled_bad() {
  auto w = torch::randn({2, 3}, torch::requires_grad()) * 0.01; // expect: ml-nonleaf-parameter: what is computed of a leaf is no leaf: the optimizer refuses it
  SGD optimizer({w}, 0.1);
  optimizer.step();
}

void method_bad() {
  torch::Tensor w = torch::randn({2, 3}, torch::requires_grad()).mul(0.01); // expect: ml-nonleaf-parameter
  torch::Tensor b = torch::zeros({3}, torch::requires_grad());
  SGD optimizer({w, b}, 0.1);
  optimizer.step();
}

void twice_bad() {
  auto options = torch::TensorOptions().dtype(torch::kFloat).requires_grad(true);
  auto w = torch::randn({2, 3}, options);
  w = w / 10; // expect: ml-nonleaf-parameter (no fix)
  std::vector<torch::Tensor> parameters = {w};
  Adam optimizer(parameters, 0.1);
  optimizer.step();
}

void pushed_bad() {
  std::vector<torch::Tensor> parameters;
  parameters.push_back(torch::randn({2, 3}, torch::requires_grad()) * 0.1); // expect: ml-nonleaf-parameter (no fix): what is computed of a leaf is no leaf
  Adam optimizer(parameters, 0.1);
  optimizer.step();
}

void moved_bad(bool onGpu) {
  torch::Device device = onGpu ? torch::Device(torch::kCUDA) : torch::Device(torch::kCPU);
  auto w = torch::randn({2, 3}, torch::requires_grad()).to(device); // expect: ml-nonleaf-parameter: a copy of a leaf on another device is no leaf
  SGD optimizer({w}, 0.1);
  optimizer.step();
}

void shaped_bad() {
  auto w = torch::randn({6}, torch::requires_grad()).view({2, 3}); // expect: ml-nonleaf-parameter
  SGD optimizer({w}, 0.1);
  optimizer.step();
}

void cloned_bad(torch::Tensor start) {
  auto w = torch::zeros({2}, torch::requires_grad());
  auto copy = w.clone(); // expect: ml-nonleaf-parameter
  SGD optimizer({copy}, 0.1);
  optimizer.step();
}

struct Scaled : torch::nn::Module {
  Scaled(int64_t in, int64_t out) {
    weight = register_parameter("weight", torch::randn({in, out}, torch::requires_grad()) / std::sqrt(double(in))); // expect: ml-nonleaf-parameter: the parameter gets no gradient
    auto start = torch::ones({out}, torch::requires_grad()) * 0.1; // expect: ml-nonleaf-parameter
    register_parameter("bias", start);
  }
  torch::Tensor forward(torch::Tensor x) { return torch::matmul(x, weight); }
  torch::Tensor weight;
};

// ---- leaves

void leaves_ok(torch::Device device) {
  auto plain = torch::randn({2, 3}, torch::requires_grad());
  auto scaled = (torch::randn({2, 3}) * 0.01).requires_grad_();
  auto later = torch::randn({2, 3}) * 0.01;
  later.requires_grad_(true);
  auto set = torch::randn({2, 3}) * 0.01;
  set.set_requires_grad(true);
  auto moved = torch::randn({2, 3}).to(device).requires_grad_();
  auto made = torch::randn({2, 3}, torch::TensorOptions().device(device).requires_grad(true));
  auto cut = (torch::randn({2, 3}, torch::requires_grad()) * 0.01).detach().requires_grad_();
  auto copied = torch::randn({2, 3}, torch::requires_grad()).clone().detach().requires_grad_(true);
  SGD optimizer({plain, scaled, later, set, moved, made, cut, copied}, 0.1);
  optimizer.step();
}

void on_the_cpu_ok() {
  auto w = torch::randn({2, 3}, torch::requires_grad()).to(torch::kCPU);
  SGD optimizer({w}, 0.1);
  optimizer.step();
}

void in_place_ok() {
  auto w = torch::empty({2, 3}, torch::requires_grad());
  {
    torch::NoGradGuard guard;
    w.normal_(0, 0.1);
    w *= 0.5;
    w = w.mul_(2);
  }
  SGD optimizer({w}, 0.1);
  optimizer.step();
}

void unrecorded_ok() {
  torch::Tensor w;
  {
    torch::NoGradGuard guard;
    w = torch::randn({2, 3}, torch::requires_grad()) * 0.01;
  }
  w.requires_grad_();
  SGD optimizer({w}, 0.1);
  optimizer.step();
}

void plain_ok() {
  auto w = torch::randn({2, 3}, torch::requires_grad(false)) * 0.01;
  w.requires_grad_();
  SGD optimizer({w}, 0.1);
  optimizer.step();
}

torch::Tensor used_ok(torch::Tensor x) {
  auto w = torch::randn({2, 3}, torch::requires_grad());
  auto scaled = w * 0.5;
  SGD optimizer({w}, 0.1);
  torch::matmul(x, scaled).sum().backward();
  optimizer.step();
  return scaled;
}

void module_ok(torch::nn::Linear model, torch::Device device) {
  model->to(device);
  SGD optimizer(model->parameters(), 0.1);
  optimizer.step();
}

struct Plain : torch::nn::Module {
  Plain(int64_t in, int64_t out) {
    weight = register_parameter("weight", torch::randn({in, out}) / std::sqrt(double(in)));
    bias = register_parameter("bias", torch::zeros({out}, torch::requires_grad()));
    mean = register_buffer("mean", torch::ones({out}, torch::requires_grad()) * 2);
    half = register_parameter("half", weight.detach() * 0.5);
  }
  torch::Tensor weight, bias, mean, half;
};

// A change that is not recorded leaves it a leaf.
static torch::Tensor initial(double scale) {
  auto weight = torch::empty({2, 3}, torch::requires_grad());
  {
    torch::NoGradGuard guard;
    weight.uniform_(-1, 1);
  }
  return weight.mul(scale); // expect: ml-nonleaf-parameter
}

struct Filled : torch::nn::Module {
  Filled() { weight = register_parameter("weight", initial(0.5)); }
  torch::Tensor weight;
};

void filled_ok() {
  auto w = torch::empty({2, 3}, torch::requires_grad());
  {
    torch::NoGradGuard guard;
    w.uniform_(-1, 1);
    w.copy_(torch::ones({2, 3}));
  }
  SGD optimizer({w}, 0.1);
  optimizer.step();
}

// --- leaves of their own that were computed of others ----------------------------------------------

void cloned_ok(torch::Tensor target) {
  auto content = torch::rand({4, 4});
  auto image = content.clone();
  image.set_requires_grad(true);
  auto twice = content * 2;
  twice.requires_grad_();
  torch::optim::SGD optimizer(std::vector<torch::Tensor>{image, twice}, 0.1);
  optimizer.zero_grad();
  torch::mse_loss(image * twice, target).backward();
  optimizer.step();
}
