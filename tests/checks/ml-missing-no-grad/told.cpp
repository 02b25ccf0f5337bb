// One function for training and validation: callers tell which by a value, a pointer, a flag.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::optim::Optimizer;

enum class Phase { Train, Validate };

torch::Tensor sample() { return torch::rand({2, 4}); }

static double byPhase(nn::Linear &net, Optimizer &optimizer, Phase phase) {
  const bool isTraining = phase == Phase::Train;
  net->train(isTraining);
  double sum = 0;
  for (int i = 0; i < 9; ++i) {
    auto loss = net(sample()).sum();
    if (isTraining) {
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }
    sum += loss.item<double>();
  }
  return sum;
}

static double byPointer(nn::Linear &net, Optimizer *optimizer) {
  bool isTraining = optimizer != nullptr;
  double sum = 0;
  for (int i = 0; i < 9; ++i) {
    auto loss = net(sample()).sum();
    if (isTraining) {
      optimizer->zero_grad();
      loss.backward();
      optimizer->step();
    }
    sum += loss.item<double>();
  }
  return sum;
}

static double bySwitch(nn::Linear &net, Optimizer &optimizer, Phase phase) {
  double sum = 0;
  for (int i = 0; i < 9; ++i) {
    auto loss = net(sample()).sum();
    switch (phase) {
    case Phase::Train:
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
      break;
    case Phase::Validate:
      break;
    }
    sum += loss.item<double>();
  }
  return sum;
}

static double guarded(nn::Linear &net, Optimizer &optimizer, Phase phase) {
  const bool isTraining = phase == Phase::Train;
  torch::AutoGradMode mode(isTraining);
  double sum = 0;
  for (int i = 0; i < 9; ++i) {
    auto loss = net(sample()).sum();
    if (isTraining) {
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }
    sum += loss.item<double>();
  }
  return sum;
}

// The flag says something else by the time that it is asked.
static double changed(nn::Linear &net, Optimizer &optimizer, Phase phase) {
  double sum = 0;
  for (int i = 0; i < 9; ++i) {
    const bool isTraining = phase == Phase::Train;
    phase = Phase::Train;
    auto loss = net(sample()).sum();
    if (isTraining) {
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }
    sum += loss.item<double>();
  }
  return sum;
}

int main() {
  nn::Linear net(4, 2);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  byPhase(net, optimizer, Phase::Train);
  byPhase(net, optimizer, Phase::Validate); // expect: ml-missing-no-grad (no fix)
  byPointer(net, &optimizer);
  byPointer(net, nullptr); // expect: ml-missing-no-grad (no fix)
  bySwitch(net, optimizer, Phase::Train);
  bySwitch(net, optimizer, Phase::Validate); // expect: ml-missing-no-grad (no fix)
  guarded(net, optimizer, Phase::Train);
  guarded(net, optimizer, Phase::Validate);
  changed(net, optimizer, Phase::Validate);
}
