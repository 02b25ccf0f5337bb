// Steps without a closure: LBFGS::step() has no default argument, but Optimizer::step() has.
#include <torch/torch.h>

using Net = torch::nn::Linear;

static torch::Tensor lossOf(Net net) { return net(torch::ones({1, 4})).mean(); }

void unique_pointer_bad(Net net) {
  std::unique_ptr<torch::optim::Optimizer> optimizer =
      std::make_unique<torch::optim::LBFGS>(net->parameters());
  for (int i = 0; i < 100; ++i) {
    optimizer->zero_grad();
    lossOf(net).backward();
    optimizer->step(); // expect: ml-lbfgs-closure: step() of L-BFGS needs a closure
  }
}

void shared_pointer_bad(Net net) {
  std::shared_ptr<torch::optim::Optimizer> optimizer =
      std::make_shared<torch::optim::LBFGS>(net->parameters());
  for (int i = 0; i < 100; ++i) {
    optimizer->zero_grad();
    lossOf(net).backward();
    optimizer->step(); // expect: ml-lbfgs-closure: without one it throws
  }
}

void constructed_pointer_bad(Net net) {
  std::unique_ptr<torch::optim::Optimizer> optimizer(new torch::optim::LBFGS(net->parameters()));
  optimizer->zero_grad();
  lossOf(net).backward();
  optimizer->step(); // expect: ml-lbfgs-closure: needs a closure that computes the loss
}

void raw_pointer_bad(Net net) {
  torch::optim::LBFGS lbfgs(net->parameters());
  torch::optim::Optimizer *optimizer = &lbfgs;
  optimizer->zero_grad();
  lossOf(net).backward();
  optimizer->step(); // expect: ml-lbfgs-closure: needs a closure
}

void reference_bad(Net net) {
  torch::optim::LBFGS lbfgs(net->parameters(), 0.8);
  torch::optim::Optimizer &optimizer = lbfgs;
  optimizer.zero_grad();
  lossOf(net).backward();
  optimizer.step(); // expect: ml-lbfgs-closure: needs a closure
}

void null_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.zero_grad();
  lossOf(net).backward();
  optimizer.step(nullptr); // expect: ml-lbfgs-closure: needs a closure
}

class Solver {
public:
  explicit Solver(Net net)
      : net(net), optimizer(std::make_unique<torch::optim::LBFGS>(net->parameters())) {}
  void member_bad() {
    optimizer->zero_grad();
    lossOf(net).backward();
    optimizer->step(); // miss: ml-lbfgs-closure: what a member holds
  }

private:
  Net net;
  std::unique_ptr<torch::optim::Optimizer> optimizer;
};

// These do without a closure.
void others_ok(Net net) {
  torch::optim::SGD sgd(net->parameters(), 0.1);
  torch::optim::Adam adam(net->parameters());
  sgd.zero_grad();
  lossOf(net).backward();
  sgd.step();
  adam.step();
}

void unknown_ok(Net net, torch::optim::Optimizer &optimizer) {
  optimizer.zero_grad();
  lossOf(net).backward();
  optimizer.step();
}

void unknown_pointer_ok(Net net, std::unique_ptr<torch::optim::Optimizer> optimizer) {
  optimizer->zero_grad();
  lossOf(net).backward();
  optimizer->step();
}

std::unique_ptr<torch::optim::Optimizer> makeOptimizer(const std::string &name, Net net) {
  if (name == "lbfgs")
    return std::make_unique<torch::optim::LBFGS>(net->parameters());
  return std::make_unique<torch::optim::SGD>(net->parameters(), 0.1);
}

void factory_ok(Net net, const std::string &name) {
  auto optimizer = makeOptimizer(name, net);
  optimizer->zero_grad();
  lossOf(net).backward();
  optimizer->step();
}

void one_of_two_ok(Net net, bool second_order) {
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  if (second_order)
    optimizer = std::make_unique<torch::optim::LBFGS>(net->parameters());
  else
    optimizer = std::make_unique<torch::optim::Adam>(net->parameters());
  for (int i = 0; i < 100; ++i) {
    if (second_order) {
      optimizer->step([&] {
        optimizer->zero_grad();
        auto loss = lossOf(net);
        loss.backward();
        return loss;
      });
    } else {
      optimizer->zero_grad();
      lossOf(net).backward();
      optimizer->step();
    }
  }
}

void replaced_ok(Net net) {
  std::unique_ptr<torch::optim::Optimizer> optimizer =
      std::make_unique<torch::optim::LBFGS>(net->parameters());
  optimizer->step([&] {
    optimizer->zero_grad();
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  });
  optimizer = std::make_unique<torch::optim::SGD>(net->parameters(), 0.1);
  optimizer->zero_grad();
  lossOf(net).backward();
  optimizer->step();
}

void pretrained_with_another_ok(Net net) {
  torch::optim::Adam adam(net->parameters());
  for (int i = 0; i < 100; ++i) {
    adam.zero_grad();
    lossOf(net).backward();
    adam.step();
  }
  torch::optim::LBFGS lbfgs(net->parameters());
  lbfgs.step([&] {
    lbfgs.zero_grad();
    auto loss = lossOf(net);
    loss.backward();
    return loss;
  });
}

// Schedulers and solvers of others have a step() as well.
namespace own {
struct LBFGS {
  explicit LBFGS(std::vector<torch::Tensor> parameters);
  void step();
};
} // namespace own

void own_solver_ok(Net net) {
  own::LBFGS optimizer(net->parameters());
  lossOf(net).backward();
  optimizer.step();
}

void scheduler_ok(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  torch::optim::StepLR scheduler(optimizer, 10);
  for (int i = 0; i < 100; ++i) {
    optimizer.step([&] {
      optimizer.zero_grad();
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
    scheduler.step();
  }
}
