// Objects that compute with tensors of their own.
#include <torch/torch.h>

using torch::Tensor;

class Normal {
public:
  Normal(Tensor mean, Tensor deviation, torch::Device device)
      : mean(mean), deviation(deviation), device(device) {}

  Tensor sample() const {
    auto noise = torch::randn(mean.sizes()).to(device); // expect: ml-create-then-move
    return mean + noise * deviation;
  }

  // It computes nothing with what the object has.
  Tensor start_ok() const { return torch::zeros({10}).to(device); }

private:
  Tensor mean, deviation;
  torch::Device device;
};

void uses_it(torch::nn::Linear net) { net->to(torch::kCUDA); }

// Once for each worker, and once in the last round.
class Worker {
public:
  Worker(torch::nn::Linear net, torch::Device device) : net(net) {
    warm_up(torch::ones({4, 4}), device);
  }

private:
  Tensor warm_up(Tensor x, torch::Device device) {
    return net(x.to(device) + torch::zeros({4, 4}).to(device));
  }
  torch::nn::Linear net;
};

Tensor decode(torch::nn::Linear net, Tensor z) {
  auto levels = torch::arange(256).to(z.device());
  return net(z) - levels;
}

void generate_ok(torch::nn::Linear net, int steps) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  auto z = torch::randn({4, 4}, device);
  for (int i = 0; i < steps; ++i) {
    z = net(z);
    if (i == steps - 1)
      decode(net, z).print();
  }
  Worker worker(net, device);
}
