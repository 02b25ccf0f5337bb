// Rates that do not stay what they are.
#include <torch/torch.h>

using Net = torch::nn::Linear;

static torch::Tensor lossOf(Net net) { return net(torch::ones({1, 4})).mean(); }

static void trainOnce(Net net, torch::optim::Optimizer &optimizer) {
  optimizer.zero_grad();
  lossOf(net).backward();
  optimizer.step();
}

void scheduler_ok(Net net) {
  torch::optim::Adam optimizer(net->parameters(), 1);
  torch::optim::StepLR scheduler(optimizer, 1, 0.1);
  for (int i = 0; i < 100; ++i) {
    trainOnce(net, optimizer);
    scheduler.step();
  }
}

void scheduler_by_pointer_ok(Net net) {
  auto optimizer =
      std::make_shared<torch::optim::Adam>(net->parameters(), torch::optim::AdamOptions(1));
  auto scheduler = std::make_unique<torch::optim::StepLR>(*optimizer, 1, 0.1);
  for (int i = 0; i < 100; ++i) {
    trainOnce(net, *optimizer);
    scheduler->step();
  }
}

class WarmUp : public torch::optim::LRScheduler {
public:
  explicit WarmUp(torch::optim::Optimizer &optimizer) : LRScheduler(optimizer) {}

private:
  std::vector<double> get_lrs() override { return {1e-3}; }
};

// As a factor, the rate of 1 is usual where a schedule says the rest.
void warm_up_ok(Net net) {
  torch::optim::AdamW optimizer(net->parameters(), 1.0);
  WarmUp warmUp(optimizer);
  for (int i = 0; i < 100; ++i) {
    warmUp.step();
    trainOnce(net, optimizer);
  }
}

void small_at_first_ok(Net net) {
  torch::optim::Adam optimizer(net->parameters(), 1e-8);
  WarmUp warmUp(optimizer);
  for (int i = 0; i < 100; ++i) {
    trainOnce(net, optimizer);
    warmUp.step();
  }
}

void set_lr_ok(Net net) {
  torch::optim::Adam optimizer(net->parameters(), 1e-8);
  for (int i = 0; i < 100; ++i) {
    optimizer.param_groups()[0].options().set_lr(1e-5 * i);
    trainOnce(net, optimizer);
  }
}

void set_lr_of_all_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 1e-9);
  for (int i = 0; i < 100; ++i) {
    for (auto &group : optimizer.param_groups())
      group.options().set_lr(0.001 * i);
    trainOnce(net, optimizer);
  }
}

void cast_options_ok(Net net) {
  torch::optim::Adam optimizer(net->parameters(), 10.0);
  for (int i = 0; i < 100; ++i) {
    static_cast<torch::optim::AdamOptions &>(optimizer.param_groups()[0].options()).lr(1e-3);
    trainOnce(net, optimizer);
  }
}

void cast_reference_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(50).momentum(0.9));
  auto &options = static_cast<torch::optim::SGDOptions &>(optimizer.param_groups()[0].options());
  for (int i = 0; i < 100; ++i) {
    options.lr(0.1 / (1 + i));
    trainOnce(net, optimizer);
  }
}

void groups_ok(Net net) {
  torch::optim::Adam optimizer(net->parameters(), 1.0);
  auto &groups = optimizer.param_groups();
  for (int i = 0; i < 100; ++i) {
    for (auto &group : groups)
      group.options().set_lr(1e-4);
    trainOnce(net, optimizer);
  }
}

void lambda_ok(Net net) {
  torch::optim::Adam optimizer(net->parameters(), 1.0);
  auto setRate = [&](double rate) {
    for (auto &group : optimizer.param_groups())
      group.options().set_lr(rate);
  };
  for (int i = 0; i < 100; ++i) {
    setRate(1e-3);
    trainOnce(net, optimizer);
  }
}

// A helper that is seen.
static void adjustRate(torch::optim::Optimizer &optimizer, int step) {
  for (auto &group : optimizer.param_groups())
    group.options().set_lr(1e-3 / (1 + step));
}

void helper_ok(Net net) {
  torch::optim::Adam optimizer(net->parameters(), 1.0);
  for (int i = 0; i < 100; ++i) {
    adjustRate(optimizer, i);
    trainOnce(net, optimizer);
  }
}

// And one that is not.
void adjustRateElsewhere(torch::optim::Optimizer &optimizer, int step);

void unseen_helper_ok(Net net) {
  torch::optim::Adam optimizer(net->parameters(), 1.0);
  for (int i = 0; i < 100; ++i) {
    adjustRateElsewhere(optimizer, i);
    trainOnce(net, optimizer);
  }
}

// What is loaded has the rate of the optimizer that was saved.
void loaded_ok(Net net) {
  torch::optim::Adam optimizer(net->parameters(), 1.0);
  torch::load(optimizer, "optimizer.pt");
  for (int i = 0; i < 100; ++i)
    trainOnce(net, optimizer);
}

// The schedule of another optimizer.
void another_scheduler_bad(Net net, Net other) {
  torch::optim::SGD first(other->parameters(), 0.1);
  torch::optim::StepLR scheduler(first, 10);
  torch::optim::Adam second(net->parameters(), 5); // miss: ml-suspicious-lr: other rates change in the same function
  for (int i = 0; i < 100; ++i) {
    trainOnce(other, first);
    trainOnce(net, second);
    scheduler.step();
  }
}

void set_lr_of_another_bad(Net net, Net other) {
  torch::optim::Adam first(net->parameters(), 5); // miss: ml-suspicious-lr: other rates change in the same function
  torch::optim::SGD second(other->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    second.param_groups()[0].options().set_lr(0.1 / (i + 1));
    trainOnce(net, first);
    trainOnce(other, second);
  }
}

// What is optimized directly has units of its own: pixels from 0 to 255, or a position in metres.
torch::Tensor pixels_ok(torch::Tensor image, torch::Tensor target) {
  image = image.clone().set_requires_grad(true);
  torch::optim::Adam optimizer({image}, torch::optim::AdamOptions(10));
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(image, target).backward();
    optimizer.step();
  }
  return image.detach();
}
