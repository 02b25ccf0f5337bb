// Programs that compute derivatives by their inputs.
#include <torch/torch.h>

using Net = torch::nn::Linear;

torch::Tensor slope(Net net, torch::Tensor x) {
  auto u = net(x);
  return torch::autograd::grad({u}, {x}, {torch::ones_like(u)}, true, true)[0];
}

void physics_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::rand({64, 1}).requires_grad_();
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    slope(net, x).pow(2).mean().backward();
    optimizer.step();
  }
}

struct Field : torch::nn::Module {
  Net net = register_module("net", Net(1, 1));

  torch::Tensor forward(torch::Tensor x) {
    auto energy = net(x).sum();
    return torch::autograd::grad({energy}, {x}, {}, true, true)[0];
  }
};

void hamiltonian_ok(Field &field, torch::optim::SGD &optimizer) {
  auto x = torch::rand({8, 1}).requires_grad_(), y = torch::rand({8, 1});
  optimizer.zero_grad();
  torch::mse_loss(field.forward(x), y).backward();
  optimizer.step();
}

void inner_forward_ok(Field &field, torch::optim::SGD &optimizer) {
  auto x = torch::rand({8, 1}).requires_grad_();
  auto y = torch::rand({8, 1});
  optimizer.zero_grad();
  torch::mse_loss(field.forward(x), y).backward();
  optimizer.step();
}
