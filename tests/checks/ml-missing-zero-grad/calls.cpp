// Through calls: helpers with a body are looked into, others may have cleared the gradients.
#include <torch/torch.h>

using Net = torch::nn::Linear;
torch::Tensor lossOf(Net &net);

// ---- the step, the backward or the whole iteration in a helper -----------------------------------

void advance(torch::optim::Optimizer &optimizer) {
  optimizer.step(); // expect: ml-missing-zero-grad
}
void step_in_a_helper_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    advance(optimizer);
  }
}

void differentiate(const torch::Tensor &loss) { loss.backward(); }
void backward_in_a_helper_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    differentiate(lossOf(net));
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}
void backward_in_a_helper_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    differentiate(lossOf(net));
    optimizer.step();
  }
}

void autograd_backward_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    torch::autograd::backward({lossOf(net)});
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}
void autograd_backward_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    torch::autograd::backward({lossOf(net)});
    optimizer.step();
  }
}

// torch::autograd::grad returns gradients and adds to none.
void autograd_grad_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    auto gradients = torch::autograd::grad({lossOf(net)}, net->parameters());
    optimizer.step();
  }
}

void trainBatch(Net &net, torch::optim::Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  auto loss = torch::mse_loss(net(x), y);
  loss.backward();
  optimizer.step(); // expect: ml-missing-zero-grad
}
void loop_in_the_caller_bad(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i)
    trainBatch(net, optimizer, x, y);
}

void trainBatchCleared(Net &net, torch::optim::Optimizer &optimizer, torch::Tensor x,
                       torch::Tensor y) {
  optimizer.zero_grad();
  auto loss = torch::mse_loss(net(x), y);
  loss.backward();
  optimizer.step();
}
void loop_in_the_caller_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i)
    trainBatchCleared(net, optimizer, x, y);
}

// Called once: whether somebody else calls it in a loop is not known.
void trainOnce(Net &net, torch::optim::Optimizer &optimizer) {
  lossOf(net).backward();
  optimizer.step();
}
void one_call_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  trainOnce(net, optimizer);
}

// ---- the clear in a helper -----------------------------------------------------------------------

void clear(torch::optim::Optimizer &optimizer) { optimizer.zero_grad(); }
void cleared_in_a_helper_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    clear(optimizer);
    lossOf(net).backward();
    optimizer.step();
  }
}

void clearAll(const std::vector<torch::Tensor> &parameters) {
  for (const auto &parameter : parameters)
    if (parameter.grad().defined())
      parameter.mutable_grad().reset();
}
void cleared_by_hand_in_a_helper_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    clearAll(net->parameters());
    lossOf(net).backward();
    optimizer.step();
  }
}

void touch(torch::optim::Optimizer &optimizer) { optimizer.param_groups(); }
void helper_without_a_clear_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    touch(optimizer);
    lossOf(net).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void stepAndClear(torch::optim::Optimizer *optimizer) {
  optimizer->step();
  optimizer->zero_grad();
}
void step_and_clear_in_a_helper_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    stepAndClear(&optimizer);
  }
}

// ---- unseen functions ----------------------------------------------------------------------------

void prepare(torch::optim::Optimizer &optimizer);
void prepare(Net &net);
void look(const torch::optim::Optimizer &optimizer);
void print(double value);
double evaluate(const std::vector<torch::Tensor> &batches);

void unseen_with_the_optimizer_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    prepare(optimizer);
    lossOf(net).backward();
    optimizer.step();
  }
}

void unseen_with_the_module_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    prepare(net);
    lossOf(net).backward();
    optimizer.step();
  }
}

void unseen_that_cannot_clear_bad(Net net, const std::vector<torch::Tensor> &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    look(optimizer);
    lossOf(net).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
    print(evaluate(batches));
  }
}

// The step itself where nobody can see it.
void trainElsewhere(Net &net, torch::optim::Optimizer &optimizer);
void unseen_iteration_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i)
    trainElsewhere(net, optimizer);
}

// ---- classes -------------------------------------------------------------------------------------

class Learner {
public:
  explicit Learner(Net net) : net(net), optimizer(net->parameters(), 0.1) {}
  virtual ~Learner() = default;

  void learn_ok(torch::Tensor x, torch::Tensor y) {
    for (int i = 0; i < 100; ++i)
      learnBatch(x, y);
  }
  void learn_bad(torch::Tensor x, torch::Tensor y) {
    for (int i = 0; i < 100; ++i)
      learnBatchUncleared(x, y);
  }

protected:
  void begin() { optimizer.zero_grad(); }

private:
  void learnBatch(torch::Tensor x, torch::Tensor y) {
    begin();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
  void learnBatchUncleared(torch::Tensor x, torch::Tensor y) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }

protected:
  Net net;
  torch::optim::SGD optimizer;
};

class SpecialLearner : public Learner {
public:
  using Learner::Learner;
  void cleared_in_the_base_ok(torch::Tensor x, torch::Tensor y) {
    for (int i = 0; i < 100; ++i) {
      Learner::begin();
      torch::mse_loss(net(x), y).backward();
      optimizer.step();
    }
  }
  void not_cleared_bad(torch::Tensor x, torch::Tensor y) {
    for (int i = 0; i < 100; ++i) {
      torch::mse_loss(net(x), y).backward();
      optimizer.step(); // expect: ml-missing-zero-grad
    }
  }
};

// `trainer.step()` clears, steps, and clears again: no framework's step.
class Trainer {
public:
  explicit Trainer(Net net) : optimizer(net->parameters(), 0.1) {}
  void step(const torch::Tensor &loss) {
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }

private:
  torch::optim::SGD optimizer;
};
void trainer_step_ok(Net net) {
  Trainer trainer(net);
  for (int i = 0; i < 100; ++i)
    trainer.step(lossOf(net));
}

// ---- what returns objects ------------------------------------------------------------------------

std::unique_ptr<torch::optim::Optimizer> makeOptimizer(Net &net) {
  return std::make_unique<torch::optim::Adam>(net->parameters());
}
void made_by_a_helper_bad(Net net) {
  auto optimizer = makeOptimizer(net);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer->step(); // expect: ml-missing-zero-grad
  }
}
void made_by_a_helper_ok(Net net) {
  auto optimizer = makeOptimizer(net);
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    lossOf(net).backward();
    optimizer->step();
  }
}

// ---- recursion -----------------------------------------------------------------------------------

void recursive_bad(Net net, torch::optim::Optimizer &optimizer, int left) {
  lossOf(net).backward();
  optimizer.step(); // miss: ml-missing-zero-grad: recursion is cut: the call may have cleared
  if (left > 0)
    recursive_bad(net, optimizer, left - 1);
}

void recursive_ok(Net net, torch::optim::Optimizer &optimizer, int left) {
  optimizer.zero_grad();
  lossOf(net).backward();
  optimizer.step();
  if (left > 0)
    recursive_ok(net, optimizer, left - 1);
}

// Code that is not seen computes a loss of what it is given.
struct RenderArguments {
  Net coarse, fine;
  torch::Tensor input;
};
std::tuple<torch::Tensor, torch::Tensor> render(RenderArguments &arguments);
torch::Tensor distance(std::vector<torch::Tensor> &outputs, const torch::Tensor &target);
void rendered(Net coarse, Net fine, torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam optimizer({coarse->parameters(), fine->parameters()},
                               torch::optim::AdamOptions(0.1));
  for (int i = 0; i < 100; ++i) {
    RenderArguments arguments{coarse, fine, x};
    auto [rough, sharp] = render(arguments);
    auto loss = torch::mse_loss(rough, y) + torch::mse_loss(sharp, y);
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}
void listed(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    std::vector<torch::Tensor> outputs{net(x), net(-x)};
    distance(outputs, y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}
