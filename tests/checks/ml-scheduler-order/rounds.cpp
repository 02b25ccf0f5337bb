// Schedulers that count rounds of one loop and are stepped in another.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using torch::optim::StepLR;

static void train(Net net, torch::optim::Optimizer &optimizer) {
  optimizer.zero_grad();
  net(torch::ones({1, 4})).mean().backward();
  optimizer.step();
}

void each_batch_bad(Net net, unsigned epochs, int batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, epochs / 3, 0.1);       // note: made here
  for (unsigned epoch = 0; epoch < epochs; ++epoch) { // note: whose rounds it counts
    for (int batch = 0; batch < batches; ++batch) {
      train(net, optimizer);
      scheduler.step(); // expect: ml-scheduler-order: by 'epochs'
    }
  }
}

struct Plan {
  unsigned epochs = 100;
};
void setting_bad(Net net, Plan plan, int batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto scheduler = std::make_unique<StepLR>(optimizer, plan.epochs / 2, 0.1); // note: made here
  for (unsigned epoch = 0; epoch < plan.epochs; ++epoch) // note: whose rounds it counts
    for (int batch = 0; batch < batches; ++batch) {
      train(net, optimizer);
      scheduler->step(); // expect: ml-scheduler-order: by 'epochs'
    }
}

void each_epoch_ok(Net net, unsigned epochs, int batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, epochs / 3, 0.1);
  for (unsigned epoch = 0; epoch < epochs; ++epoch) {
    for (int batch = 0; batch < batches; ++batch)
      train(net, optimizer);
    scheduler.step();
  }
}

void in_batches_ok(Net net, unsigned epochs, unsigned batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, epochs * batches / 3, 0.1);
  for (unsigned epoch = 0; epoch < epochs; ++epoch)
    for (unsigned batch = 0; batch < batches; ++batch) {
      train(net, optimizer);
      scheduler.step();
    }
}

void one_loop_ok(Net net, unsigned steps) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, steps / 3, 0.1);
  for (unsigned step = 0; step < steps; ++step) {
    train(net, optimizer);
    scheduler.step();
  }
}

void last_batch_ok(Net net, unsigned epochs, int batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  StepLR scheduler(optimizer, epochs / 3, 0.1);
  for (unsigned epoch = 0; epoch < epochs; ++epoch)
    for (int batch = 0; batch < batches; ++batch) {
      train(net, optimizer);
      if (batch + 1 == batches)
        scheduler.step();
    }
}
