// Schedulers that are made, and what becomes of them.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using torch::optim::StepLR;

static torch::Tensor lossOf(Net net) { return net(torch::ones({1, 4})).mean(); }

static void train(Net net, torch::optim::Optimizer &optimizer) {
  optimizer.zero_grad();
  lossOf(net).backward();
  optimizer.step();
}

// ---- made and forgotten

void local_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::optim::StepLR scheduler(optimizer, 30); // expect: ml-scheduler-order: 'scheduler' is
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void auto_bad(Net net) {
  torch::optim::Adam optimizer(net->parameters());
  auto decay = torch::optim::StepLR(optimizer, 30, 0.5); // expect: ml-scheduler-order: 'decay'
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void braces_bad(Net net) {
  torch::optim::Adam optimizer(net->parameters());
  StepLR scheduler{optimizer, 30}; // expect: ml-scheduler-order: stays what it is
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void unique_pointer_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto scheduler = std::make_unique<StepLR>(optimizer, 30); // expect: ml-scheduler-order
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void shared_pointer_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::shared_ptr<torch::optim::LRScheduler> scheduler = // expect: ml-scheduler-order: 'scheduler'
      std::make_shared<torch::optim::StepLR>(optimizer, 30);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void constructed_pointer_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::unique_ptr<StepLR> scheduler(new StepLR(optimizer, 30)); // expect: ml-scheduler-order
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

// Of a caller's optimizer, which it trains with.
void optimizer_of_the_caller_bad(Net net, torch::optim::Optimizer &optimizer) {
  StepLR scheduler(optimizer, 30); // expect: ml-scheduler-order
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void optimizer_by_pointer_bad(Net net) {
  auto optimizer = std::make_shared<torch::optim::Adam>(net->parameters());
  StepLR scheduler(*optimizer, 30); // expect: ml-scheduler-order
  for (int i = 0; i < 100; ++i) {
    optimizer->zero_grad();
    lossOf(net).backward();
    optimizer->step();
  }
}

void closure_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  StepLR scheduler(optimizer, 30); // expect: ml-scheduler-order
  for (int i = 0; i < 100; ++i)
    optimizer.step([&] {
      optimizer.zero_grad();
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
}

// One of two.
void second_bad(Net net, Net critic) {
  torch::optim::Adam first(net->parameters()), second(critic->parameters());
  StepLR schedulerOfFirst(first, 30);
  StepLR schedulerOfSecond(second, 30); // expect: ml-scheduler-order: 'schedulerOfSecond' is never
  for (int i = 0; i < 100; ++i) {
    first.zero_grad();
    lossOf(net).backward();
    first.step();
    second.zero_grad();
    lossOf(critic).backward();
    second.step();
    schedulerOfFirst.step();
  }
}

// A schedule of one's own.
class WarmUp : public torch::optim::LRScheduler {
public:
  explicit WarmUp(torch::optim::Optimizer &optimizer) : LRScheduler(optimizer) {}

private:
  std::vector<double> get_lrs() override { return {0.1}; }
};

void own_class_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  WarmUp warmUp(optimizer); // expect: ml-scheduler-order: 'warmUp' is never stepped
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

// It is made anew in every epoch, and forgotten as often.
void in_the_loop_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    StepLR scheduler(optimizer, 1); // expect: ml-scheduler-order
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      lossOf(net).backward();
      optimizer.step();
    }
  }
}

// The optimizer is zeroed and stepped; the scheduler's namesake is not the scheduler.
void shadowed_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, 30); // expect: ml-scheduler-order
  for (int i = 0; i < 100; ++i) {
    torch::optim::Optimizer &scheduler = optimizer;
    scheduler.zero_grad();
    lossOf(net).backward();
    scheduler.step();
  }
}

class ForgetfulTrainer {
public:
  explicit ForgetfulTrainer(Net net)
      : net(net), optimizer(net->parameters(), 0.1), schedule(optimizer, 30) {}
  void train_bad() {
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      lossOf(net).backward();
      optimizer.step();
    }
  }

private:
  Net net;
  torch::optim::SGD optimizer;
  torch::optim::StepLR schedule; // expect: ml-scheduler-order: 'schedule' is
};

// ---- stepped somewhere

void epoch_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, 30);
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      lossOf(net).backward();
      optimizer.step();
    }
    scheduler.step();
  }
}

// Unlike in Python, this is right.
void before_the_optimizer_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, 30);
  for (int i = 0; i < 100; ++i) {
    scheduler.step();
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void per_batch_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto scheduler = std::make_unique<StepLR>(optimizer, 1000);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    scheduler->step();
  }
}

void condition_ok(Net net, bool decays) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, 30);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    if (decays && i > 10)
      scheduler.step();
  }
}

void lambda_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, 30);
  auto endOfEpoch = [&] { scheduler.step(); };
  for (int i = 0; i < 100; ++i) {
    train(net, optimizer);
    optimizer.step();
    endOfEpoch();
  }
}

void base_class_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::unique_ptr<torch::optim::LRScheduler> scheduler = std::make_unique<StepLR>(optimizer, 30);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    scheduler->step();
  }
}

void reference_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR stepwise(optimizer, 30);
  torch::optim::LRScheduler &scheduler = stepwise;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    scheduler.step();
  }
}

void pointer_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR stepwise(optimizer, 30);
  torch::optim::LRScheduler *scheduler = &stepwise;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    scheduler->step();
  }
}

// ---- handed on

template <class Scheduler>
static void trainWith(Net net, torch::optim::Optimizer &optimizer, Scheduler &scheduler) {
  train(net, optimizer);
  scheduler.step();
}
void trainElsewhere(Net net, torch::optim::LRScheduler &scheduler);
void keepElsewhere(std::shared_ptr<torch::optim::LRScheduler> scheduler);

void passed_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, 30);
  optimizer.step();
  trainWith(net, optimizer, scheduler);
}

void passed_to_unseen_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, 30);
  optimizer.step();
  trainElsewhere(net, scheduler);
}

void pointer_passed_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto scheduler = std::make_shared<StepLR>(optimizer, 30);
  keepElsewhere(scheduler);
  for (int i = 0; i < 100; ++i)
    train(net, optimizer);
  optimizer.step();
}

void in_a_vector_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::vector<std::unique_ptr<torch::optim::LRScheduler>> schedulers;
  auto scheduler = std::make_unique<StepLR>(optimizer, 30);
  schedulers.push_back(std::move(scheduler));
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    for (auto &one : schedulers)
      one->step();
  }
}

struct Setup {
  std::shared_ptr<torch::optim::Optimizer> optimizer;
  std::shared_ptr<torch::optim::LRScheduler> scheduler;
};

Setup in_a_struct_ok(Net net) {
  auto optimizer = std::make_shared<torch::optim::SGD>(net->parameters(), 0.1);
  auto scheduler = std::make_shared<StepLR>(*optimizer, 30);
  optimizer->step();
  return {optimizer, scheduler};
}

Setup member_of_a_struct_ok(Net net) {
  Setup setup;
  setup.optimizer = std::make_shared<torch::optim::SGD>(net->parameters(), 0.1);
  auto scheduler = std::make_shared<StepLR>(*setup.optimizer, 30);
  setup.scheduler = scheduler;
  setup.optimizer->step();
  return setup;
}

void end_of_epoch_ok(Setup &setup) { setup.scheduler->step(); }

void in_a_local_struct_bad(Net net) {
  struct Forgotten {
    torch::optim::SGD optimizer;
    std::unique_ptr<StepLR> scheduler;
  };
  Forgotten all{torch::optim::SGD(net->parameters(), 0.1), nullptr};
  auto scheduler = std::make_unique<StepLR>(all.optimizer, 30); // expect: ml-scheduler-order
  all.scheduler = std::move(scheduler);
  for (int i = 0; i < 100; ++i) {
    all.optimizer.zero_grad();
    lossOf(net).backward();
    all.optimizer.step();
  }
}

std::unique_ptr<torch::optim::LRScheduler> returned_ok(torch::optim::Optimizer &optimizer) {
  auto scheduler = std::make_unique<StepLR>(optimizer, 30);
  optimizer.step();
  return scheduler;
}

std::function<void()> captured_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto scheduler = std::make_shared<StepLR>(optimizer, 30);
  train(net, optimizer);
  optimizer.step();
  return [scheduler] { scheduler->step(); };
}

// ---- no training here

void no_training_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, 30);
  lossOf(net).backward();
}

class Trainer {
public:
  explicit Trainer(Net net)
      : net(net), optimizer(net->parameters(), 0.1), scheduler(optimizer, 30) {}
  void train_ok() {
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      lossOf(net).backward();
      optimizer.step();
    }
    endEpoch();
  }

private:
  void endEpoch() { scheduler.step(); }
  Net net;
  torch::optim::SGD optimizer;
  torch::optim::StepLR scheduler;
};

class OpenTrainer {
public:
  explicit OpenTrainer(Net net)
      : net(net), optimizer(net->parameters(), 0.1),
        scheduler(std::make_unique<StepLR>(optimizer, 30)) {}
  void train_ok() {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
  torch::optim::LRScheduler &schedule() { return *scheduler; }

private:
  Net net;
  torch::optim::SGD optimizer;
  std::unique_ptr<torch::optim::LRScheduler> scheduler;
};

class HalfSeenTrainer {
public:
  explicit HalfSeenTrainer(Net net)
      : net(net), optimizer(net->parameters(), 0.1), scheduler(optimizer, 30) {}
  void train_ok() {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
  void endEpoch(); // In a source that is not seen.

private:
  Net net;
  torch::optim::SGD optimizer;
  torch::optim::StepLR scheduler;
};

struct State {
  explicit State(Net net) : net(net), optimizer(net->parameters(), 0.1), scheduler(optimizer, 30) {}
  void train_ok() {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
  Net net;
  torch::optim::SGD optimizer;
  torch::optim::StepLR scheduler;
};

void public_member_ok(State &state) {
  for (int i = 0; i < 100; ++i) {
    state.train_ok();
    state.scheduler.step();
  }
}

// ---- of another library, or named like one

struct Schedule {
  explicit Schedule(torch::optim::Optimizer &optimizer);
  void step();
};

void own_schedule_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  Schedule scheduler(optimizer); // May adjust the rate by itself.
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

// Its own methods step it.
class Stepping : public torch::optim::StepLR {
public:
  using StepLR::StepLR;
  void endEpoch() { step(); }
};

void by_its_own_method_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  Stepping scheduler(optimizer, 30);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    scheduler.endEpoch();
  }
}

// No scheduler yet.
void empty_pointer_ok(Net net, bool decays) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::unique_ptr<StepLR> scheduler;
  if (decays)
    scheduler = std::make_unique<StepLR>(optimizer, 30);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    if (scheduler)
      scheduler->step();
  }
}
