// Whichever way the gradients are cleared.
#include <torch/torch.h>

using Net = torch::nn::Linear;
torch::Tensor lossOf(Net &net);

void at_the_end_of_the_body_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer.step();
    optimizer.zero_grad();
  }
}

void between_forward_and_backward_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    auto loss = lossOf(net);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void through_the_module_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void through_a_module_of_unknown_optimizer_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void by_hand_reset_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &parameter : net->parameters())
      parameter.mutable_grad().reset();
    lossOf(net).backward();
    optimizer.step();
  }
}

void by_hand_undefined_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (const auto &parameter : net->parameters())
      parameter.mutable_grad() = torch::Tensor();
    lossOf(net).backward();
    optimizer.step();
  }
}

void by_hand_braces_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (const auto &parameter : net->parameters())
      parameter.mutable_grad() = torch::Tensor{};
    lossOf(net).backward();
    optimizer.step();
  }
}

void by_hand_zero_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer.step();
    for (auto &parameter : net->parameters())
      parameter.grad().zero_();
  }
}

void by_hand_if_defined_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &parameter : net->parameters())
      if (parameter.grad().defined())
        parameter.grad().zero_();
    lossOf(net).backward();
    optimizer.step();
  }
}

void by_hand_unless_undefined_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &parameter : net->parameters()) {
      if (!parameter.grad().defined())
        continue;
      parameter.mutable_grad().fill_(0);
    }
    lossOf(net).backward();
    optimizer.step();
  }
}

void by_hand_through_a_name_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &parameter : net->parameters()) {
      auto gradient = parameter.grad();
      if (gradient.defined())
        gradient.zero_();
    }
    lossOf(net).backward();
    optimizer.step();
  }
}

void by_hand_named_parameters_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &item : net->named_parameters())
      item.value().mutable_grad().reset();
    lossOf(net).backward();
    optimizer.step();
  }
}

void by_hand_param_groups_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &group : optimizer.param_groups())
      for (auto &parameter : group.params())
        parameter.mutable_grad().reset();
    lossOf(net).backward();
    optimizer.step();
  }
}

void by_hand_kept_list_ok(Net net) {
  auto parameters = net->parameters();
  torch::optim::SGD optimizer(parameters, 0.1);
  for (int i = 0; i < 100; ++i) {
    for (size_t k = 0; k < parameters.size(); ++k)
      parameters[k].mutable_grad().reset();
    lossOf(net).backward();
    optimizer.step();
  }
}

void by_hand_of_another_bad(Net net, Net other) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &parameter : other->parameters())
      parameter.mutable_grad().reset();
    torch::mse_loss(net(torch::ones({4})), torch::ones({1})).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

// The parameters' values, not their gradients.
void values_cleared_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net->bias.data().zero_();
    lossOf(net).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

// Reading and scaling gradients clears nothing.
void gradients_read_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    double norm = 0;
    for (auto &parameter : net->parameters())
      norm += parameter.grad().norm().item<double>();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void clipped_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void lambda_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto clear = [&] { optimizer.zero_grad(); };
  for (int i = 0; i < 100; ++i) {
    clear();
    lossOf(net).backward();
    optimizer.step();
  }
}

void lambda_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto clear = [&] { optimizer.zero_grad(); };
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
  clear();
}

void lbfgs_closure_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i) {
    auto closure = [&] {
      optimizer.zero_grad();
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    };
    optimizer.step(closure);
  }
}

// ml-lbfgs-closure speaks of it.
void lbfgs_closure_without_clear_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i) {
    optimizer.step([&] {
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
  }
}

void std_function_closure_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  std::function<torch::Tensor()> closure = [&]() -> torch::Tensor {
    optimizer.zero_grad();
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  };
  for (int i = 0; i < 100; ++i)
    optimizer.step(closure);
}

// In a module's own zero_grad.
struct Custom : torch::nn::Module {
  void zero_grad(bool set_to_none = true) override {
    for (auto &parameter : parameters())
      parameter.mutable_grad().reset();
  }
  torch::Tensor forward(torch::Tensor x);
};

void overridden_ok(Custom &net, torch::Tensor x) {
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net.zero_grad();
    net.forward(x).mean().backward();
    optimizer.step();
  }
}
