// The scheduler that LibTorch 1.13 does not have, for which other sources must build, too.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using torch::optim::ReduceLROnPlateauScheduler;

static torch::Tensor lossOf(Net net) { return net(torch::ones({1, 4})).mean(); }
double validate(Net net);

void local_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  ReduceLROnPlateauScheduler plateau(optimizer); // expect: ml-scheduler-order: 'plateau' is never
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void options_bad(Net net) {
  torch::optim::Adam optimizer(net->parameters());
  torch::optim::ReduceLROnPlateauScheduler scheduler( // expect: ml-scheduler-order: never stepped
      optimizer, ReduceLROnPlateauScheduler::SchedulerMode::max, 0.5, 5);
  double best = 0;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    if (const double score = validate(net); score > best)
      best = score;
  }
}

void pointer_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto scheduler = // expect: ml-scheduler-order: the learning rate stays what it is
      std::make_unique<ReduceLROnPlateauScheduler>(optimizer);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void epoch_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  ReduceLROnPlateauScheduler scheduler(optimizer);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    scheduler.step(static_cast<float>(validate(net)));
  }
}

void now_and_then_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto scheduler = std::make_shared<ReduceLROnPlateauScheduler>(
      optimizer, ReduceLROnPlateauScheduler::min, 0.5, 5);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
    if (i % 10 == 9)
      scheduler->step(static_cast<float>(validate(net)));
  }
}

void trainElsewhere(Net net, ReduceLROnPlateauScheduler &scheduler);
void passed_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  ReduceLROnPlateauScheduler scheduler(optimizer);
  optimizer.step();
  trainElsewhere(net, scheduler);
}
