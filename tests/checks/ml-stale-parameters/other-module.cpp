// The loss is computed of a module of which the optimizer has no parameter.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { l = register_module("l", torch::nn::Linear(2, 2)); }
  torch::Tensor forward(torch::Tensor x) { return l(x); }
  torch::nn::Linear l{nullptr};
};
TORCH_MODULE(Net);

void other_bad() {
  auto x = torch::randn({8, 2}), y = torch::randn({8, 2});
  Net best, candidate;
  torch::optim::SGD optimizer(best->parameters(), 1e-2);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(candidate->forward(x), y); // expect: ml-stale-parameters
    loss.backward();
    optimizer.step();
  }
}

void layers_bad() {
  auto x = torch::randn({8, 2});
  torch::nn::Linear teacher(2, 2), student(2, 2);
  torch::optim::Adam optimizer(teacher->parameters());
  for (int i = 0; i < 10; ++i) {
    auto loss = (student(x) - teacher(x).detach()).pow(2).mean(); // expect: ml-stale-parameters
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void same_ok(torch::Tensor x, torch::Tensor y) {
  Net best, candidate;
  torch::optim::SGD optimizer(candidate->parameters(), 1e-2);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(candidate->forward(x), y).backward();
    optimizer.step();
  }
}

void two_ok(torch::Tensor x, torch::Tensor y) {
  Net first, second;
  torch::optim::SGD ofFirst(first->parameters(), 1e-2), ofSecond(second->parameters(), 1e-2);
  for (int i = 0; i < 10; ++i) {
    ofFirst.zero_grad();
    torch::mse_loss(first->forward(x), y).backward();
    ofFirst.step();
    ofSecond.zero_grad();
    torch::mse_loss(second->forward(x), y).backward();
    ofSecond.step();
  }
}

// Saliency of a model beside the training of another one.
void probe_ok(torch::Tensor x, torch::Tensor y) {
  Net probed, trained;
  torch::optim::SGD optimizer(trained->parameters(), 1e-2);
  auto picture = torch::randn({8, 2}, torch::requires_grad());
  probed->forward(picture).sum().backward();
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(trained->forward(x), y).backward();
    optimizer.step();
  }
}

// Steps by hand beside an optimizer.
void byHand_ok(torch::Tensor x, torch::Tensor y) {
  Net one, other;
  torch::optim::SGD optimizer(one->parameters(), 1e-2);
  for (int i = 0; i < 10; ++i) {
    torch::mse_loss(other->forward(x), y).backward();
    torch::NoGradGuard guard;
    for (auto &parameter : other->parameters())
      parameter -= 0.1 * parameter.grad();
  }
}

void targets_bad() {
  auto x = torch::randn({8, 2});
  torch::nn::Sequential online(torch::nn::Linear(2, 2), torch::nn::Linear(2, 2)),
      target(torch::nn::Linear(2, 2), torch::nn::Linear(2, 2));
  torch::optim::Adam optimizer(target->parameters());
  for (int i = 0; i < 10; ++i) {
    torch::Tensor goal;
    {
      torch::NoGradGuard guard;
      goal = target->forward(x);
    }
    auto loss = torch::mse_loss(online->forward(x), goal); // expect: ml-stale-parameters
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    torch::NoGradGuard guard;
    auto from = online->parameters(), to = target->parameters();
    for (size_t k = 0; k < to.size(); ++k)
      to[k].copy_(from[k]);
  }
}

void stepped_by_hand_ok() {
  auto x = torch::randn({8, 2});
  Net online, head;
  torch::optim::Adam optimizer(head->parameters());
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    online->forward(x).mean().backward();
    optimizer.step();
    torch::NoGradGuard guard;
    for (auto &p : online->parameters())
      p.sub_(0.1 * p.grad());
  }
}

void stepped_elsewhere_ok() {
  auto x = torch::randn({8, 2});
  Net online, head;
  torch::optim::Adam optimizer(head->parameters()), other(online->parameters());
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    other.zero_grad();
    online->forward(x).mean().backward();
    other.step();
    if (i % 2 == 0)
      head->forward(x).mean().backward();
    optimizer.step();
  }
}
