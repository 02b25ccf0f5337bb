// Loops that compute gradients and clear them.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using Optimizer = torch::optim::Optimizer;

void local_bad(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad(); // expect: ml-missing-step: no step of 'optimizer' uses the gradients
    auto loss = torch::mse_loss(net(x), y);
    loss.backward(); // note: this backward computes them
  }
}

void cleared_behind_bad(Net net, std::vector<torch::Tensor> inputs) {
  auto optimizer = std::make_unique<torch::optim::SGD>(net->parameters(), 0.1);
  for (auto &x : inputs) {
    net(x).mean().backward(); // note: this backward computes them
    optimizer->zero_grad(); // expect: ml-missing-step
  }
}

void with_scheduler_bad(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::optim::StepLR scheduler(optimizer, 30, 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad(); // expect: ml-missing-step
    net(x).mean().backward(); // note: this backward computes them
    scheduler.step();
  }
}

void other_optimizer_steps_bad(Net a, Net b, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD ofA(a->parameters(), 0.1), ofB(b->parameters(), 0.1);
  for (auto &x : inputs) {
    ofA.zero_grad();
    ofB.zero_grad(); // expect: ml-missing-step: no step of 'ofB'
    b(a(x)).mean().backward(); // note: this backward computes them
    ofA.step();
  }
}

void stepped_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void stepped_now_and_then_ok(Net net, std::vector<torch::Tensor> inputs, bool learns) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    if (learns)
      optimizer.step();
  }
}

void given_ok(Net net, Optimizer &optimizer, std::vector<torch::Tensor> inputs) {
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
  }
}

void gradients_looked_at_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    std::printf("%f\n", net->weight.grad().norm().item<double>());
  }
}

void by_hand_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    torch::NoGradGuard guard;
    for (auto &parameter : net->parameters())
      parameter -= 0.1 * parameter.grad();
  }
}

void saliency_ok(Net net, std::vector<torch::Tensor> inputs) {
  for (auto &x : inputs) {
    auto input = x.detach().requires_grad_();
    net->zero_grad();
    net(input).mean().backward();
    auto saliency = input.grad().abs();
  }
}

void adversarial_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    auto input = x.detach().requires_grad_();
    optimizer.zero_grad();
    net(input).mean().backward();
    input = input + 0.1 * input.grad();
  }
}

void no_backward_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs)
    optimizer.zero_grad();
}

void helper(Optimizer &optimizer) { optimizer.step(); }
void stepped_in_helper_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    helper(optimizer);
  }
}

void unseen(Optimizer &optimizer);
void stepped_unseen_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    unseen(optimizer);
  }
}

class Scaler {
public:
  explicit Scaler(Optimizer &optimizer);
  void update();
};
void kept_by_unseen_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  Scaler scaler(optimizer);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    scaler.update();
  }
}

void in_closure_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const auto update = [&] { optimizer.step(); };
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    update();
  }
}

void in_a_list_ok(Net net, std::vector<torch::Tensor> inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::vector<Optimizer *> all{&optimizer};
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    for (auto *each : all)
      each->step();
  }
}

void once_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  optimizer.zero_grad();
  net(x).mean().backward();
}
