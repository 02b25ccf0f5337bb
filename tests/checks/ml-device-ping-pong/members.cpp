// Members that are copied to the GPU each time something is computed with them.
#include <torch/torch.h>

using torch::Tensor;

class WindowedLoss {
public:
  Tensor compute(const Tensor &x, const Tensor &y) const {
    return ((x - y) * window.to(x.device())).mean(); // expect: ml-device-ping-pong: 'window' is
  }

private:
  Tensor window = torch::ones({11, 11});
};

void window_bad(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const WindowedLoss loss;
  auto x = torch::randn({11, 11}, device);
  for (int i = 0; i < 100; ++i) { // note: the loop is here
    optimizer.zero_grad();
    loss.compute(net(x), x).backward();
    optimizer.step();
  }
}

// After the first step it is there.
class MovingLoss {
public:
  Tensor compute(const Tensor &x, const Tensor &y) {
    mask = mask.to(x.device());
    return ((x - y) * mask).mean();
  }

private:
  Tensor mask = torch::ones({11, 11});
};

void moving_ok(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  MovingLoss loss;
  auto x = torch::randn({11, 11}, device);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    loss.compute(net(x), x).backward();
    optimizer.step();
  }
}

// The host counts what the GPU is then given.
class CountingLoss {
public:
  Tensor compute(const Tensor &x, const Tensor &y) {
    counts.add_(1);
    return ((x - y) / counts.to(x.device())).mean();
  }

private:
  Tensor counts = torch::ones({11, 11});
};

void counting_ok(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  CountingLoss loss;
  auto x = torch::randn({11, 11}, device);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    loss.compute(net(x), x).backward();
    optimizer.step();
  }
}

// Once for all steps.
class ScaledLoss {
public:
  explicit ScaledLoss(torch::Device device) : scales(torch::ones({11, 11}).to(device)) {}
  Tensor compute(const Tensor &x) const { return (x * scales.to(x.device())).mean(); }

private:
  Tensor scales;
};

void scaled_ok(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const ScaledLoss loss(device);
  auto x = torch::randn({11, 11}, device);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    loss.compute(net(x)).backward();
    optimizer.step();
  }
}

// Once an epoch, for the evaluation alone.
void evaluation_ok(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const WindowedLoss loss;
  auto x = torch::randn({11, 11}, device);
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      net(x).square().mean().backward();
      optimizer.step();
    }
    torch::NoGradGuard guard;
    net->eval();
    loss.compute(net(x), x);
    net->train();
  }
}
