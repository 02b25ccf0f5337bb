// What the closure does.
#include <torch/torch.h>

using Net = torch::nn::Linear;

static torch::Tensor lossOf(Net net) { return net(torch::ones({1, 4})).mean(); }

void clears_outside_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    optimizer.step([&] { // expect: ml-lbfgs-closure: the closure does not clear the gradients
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
  }
}

void never_clears_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] { // expect: ml-lbfgs-closure: L-BFGS calls it several times, and they add up
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  });
}

void variable_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters(), 0.5);
  for (int i = 0; i < 100; ++i) {
    auto closure = [&]() -> torch::Tensor { // expect: ml-lbfgs-closure: does not clear
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    };
    optimizer.zero_grad();
    optimizer.step(closure);
  }
}

void std_function_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  std::function<torch::Tensor()> closure = [&] { // expect: ml-lbfgs-closure: does not clear
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  };
  for (int i = 0; i < 100; ++i)
    optimizer.step(closure);
}

void loss_closure_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  torch::optim::Optimizer::LossClosure closure = [&] { // expect: ml-lbfgs-closure: does not clear
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  };
  optimizer.step(closure);
}

void free_backward_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i)
    optimizer.step([&] { // expect: ml-lbfgs-closure: does not clear
      auto loss = lossOf(net);
      torch::autograd::backward({loss}, {});
      return loss;
    });
}

static torch::Tensor lossAndGradients(Net net) {
  auto loss = lossOf(net);
  loss.backward();
  return loss;
}

void backward_in_a_helper_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i)
    optimizer.step([&] { // expect: ml-lbfgs-closure: does not clear
      return lossAndGradients(net);
    });
}

// Those of another model.
void clears_another_bad(Net net, Net other) {
  torch::optim::LBFGS optimizer(net->parameters());
  torch::optim::SGD sgd(other->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.step([&] { // expect: ml-lbfgs-closure: does not clear
      sgd.zero_grad();
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
  }
}

void pointer_bad(Net net) {
  auto optimizer = std::make_unique<torch::optim::LBFGS>(net->parameters());
  for (int i = 0; i < 100; ++i)
    optimizer->step([&] { // expect: ml-lbfgs-closure: does not clear
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
}

void no_backward_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step([&] { // expect: ml-lbfgs-closure: the closure computes no gradients
      return lossOf(net);
    });
  }
}

void returns_the_loss_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = lossOf(net);
    loss.backward();
    optimizer.step([&loss] { return loss; }); // expect: ml-lbfgs-closure: sees the same ones
  }
}

void no_backward_but_clears_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i) {
    auto closure = [&] { // expect: ml-lbfgs-closure: every call of it sees the same ones
      optimizer.zero_grad();
      return lossOf(net);
    };
    optimizer.step(closure);
  }
}

void pointer_without_backward_bad(Net net) {
  auto optimizer = std::make_shared<torch::optim::LBFGS>(net->parameters());
  optimizer->step([&]() -> torch::Tensor { // expect: ml-lbfgs-closure: computes no gradients
    return lossOf(net);
  });
}

class Solver {
public:
  explicit Solver(Net net) : net(net), optimizer(net->parameters()) {}
  void member_bad() {
    optimizer.step([this] { // expect: ml-lbfgs-closure: does not clear
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
  }
  void member_ok() {
    optimizer.step([this] {
      optimizer.zero_grad();
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
  }
  void method_ok() {
    optimizer.step([this] { return evaluate(); });
  }
  void bound_method_ok() { optimizer.step(std::bind(&Solver::evaluate, this)); }

private:
  torch::Tensor evaluate() {
    optimizer.zero_grad();
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  }
  Net net;
  torch::optim::LBFGS optimizer;
};

void usual_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i)
    optimizer.step([&] {
      optimizer.zero_grad();
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
}

void variable_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  auto closure = [&]() -> torch::Tensor {
    optimizer.zero_grad();
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  };
  for (int i = 0; i < 100; ++i)
    optimizer.step(closure);
}

void of_the_module_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i)
    optimizer.step([&] {
      net->zero_grad();
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
}

// Before the backward is early enough.
void later_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i)
    optimizer.step([&] {
      auto loss = lossOf(net);
      optimizer.zero_grad();
      loss.backward();
      return loss;
    });
}

void by_hand_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] {
    for (auto &parameter : net->parameters())
      parameter.mutable_grad().reset();
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  });
}

void by_hand_with_zeros_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] {
    for (auto &parameter : net->parameters())
      if (parameter.grad().defined())
        parameter.grad().zero_();
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  });
}

void leaf_ok(torch::Tensor pose, torch::Tensor x) {
  pose.requires_grad_();
  torch::optim::LBFGS optimizer({pose}, torch::optim::LBFGSOptions(0.5).max_iter(50));
  optimizer.step([&]() {
    if (pose.grad().defined())
      pose.mutable_grad() = torch::Tensor();
    auto loss = (x - pose).pow(2).sum();
    loss.backward();
    return loss;
  });
}

static void clear(torch::optim::Optimizer &optimizer) { optimizer.zero_grad(); }

void helper_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] {
    clear(optimizer);
    return lossAndGradients(net);
  });
}

static torch::Tensor evaluate(Net net, torch::optim::LBFGS &optimizer) {
  optimizer.zero_grad();
  auto loss = lossOf(net);
  loss.backward();
  return loss;
}

void all_in_a_helper_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] { return evaluate(net, optimizer); });
}

// Bodies that are not seen may do either.
torch::Tensor lossAndGradientsElsewhere(Net net);
void clearElsewhere(Net net);

void unseen_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] { return lossAndGradientsElsewhere(net); });
}

void unseen_clearing_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] {
    clearElsewhere(net);
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  });
}

void unseen_function_object_ok(Net net, const std::function<void(torch::Tensor)> &differentiate) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] {
    optimizer.zero_grad();
    auto loss = lossOf(net);
    differentiate(loss);
    return loss;
  });
}

void closure_of_the_caller_ok(Net net, const std::function<torch::Tensor()> &closure) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i)
    optimizer.step(closure);
}

// The gradients are set, not added to.
void grad_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  const auto parameters = net->parameters();
  optimizer.step([&] {
    auto loss = lossOf(net);
    const auto gradients = torch::autograd::grad({loss}, parameters);
    for (size_t i = 0; i < parameters.size(); ++i)
      parameters[i].mutable_grad() = gradients[i];
    return loss;
  });
}

// Two losses in one call.
void two_losses_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] {
    optimizer.zero_grad();
    auto first = lossOf(net), second = lossOf(net) * 2;
    first.backward();
    second.backward();
    return first + second;
  });
}

// As PyTorch's documentation writes it.
void conditional_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] {
    optimizer.zero_grad();
    auto loss = lossOf(net);
    if (loss.requires_grad())
      loss.backward();
    return loss;
  });
}

// Other optimizers call it once.
void other_optimizers_ok(Net net) {
  torch::optim::SGD sgd(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    sgd.zero_grad();
    sgd.step([&] {
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
    sgd.zero_grad();
    lossOf(net).backward();
    sgd.step([&] { return lossOf(net); });
  }
}

// With one iteration, L-BFGS calls it once, too.
void one_iteration_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters(), torch::optim::LBFGSOptions(0.1).max_iter(1));
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    optimizer.step([&] {
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
  }
}

// --- forward passes before the step --------------------------------------------------------------

void forward_outside_bad(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i) {
    auto out = net(x); // expect: ml-lbfgs-closure: this forward pass runs once, but L-BFGS calls its closure several times
    optimizer.step([&] { // note: the step calls the closure here
      optimizer.zero_grad();
      auto loss = torch::mse_loss(out, y);
      loss.backward(); // note: the closure runs the backward here
      return loss;
    });
  }
}

void loss_outside_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  auto loss = net(torch::ones({1, 4})).mean(); // expect: ml-lbfgs-closure: move it into the closure
  auto closure = [&] {
    optimizer.zero_grad();
    loss.backward(); // note: the closure runs the backward here
    return loss;
  };
  optimizer.step(closure); // note: the step calls the closure here
}

void frozen_outside_ok(Net net, Net encoder, torch::Tensor x, torch::Tensor y) {
  torch::optim::LBFGS optimizer(net->parameters());
  torch::Tensor features;
  {
    torch::NoGradGuard guard;
    features = encoder(x);
  }
  auto target = encoder(y).detach();
  optimizer.step([&] {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(features), target);
    loss.backward();
    return loss;
  });
}

void once_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  optimizer.step([&] {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(out, y);
    loss.backward();
    return loss;
  });
}
