// Where tensors are made and moved.
#include <torch/torch.h>

using torch::Tensor;

void training_bad(torch::nn::Linear net) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto noise = torch::randn({64, 10}).to(device); // expect: ml-create-then-move
    auto labels = torch::full({64, 1}, 1.0).cuda(); // expect: ml-create-then-move
    (net(noise) - labels).mean().backward();
    optimizer.step();
  }
}

void with_options_bad(torch::nn::Linear net) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto ids = torch::arange(10, torch::kLong).to(device); // expect: ml-create-then-move (no fix)
    net(ids).mean().backward();
    optimizer.step();
  }
}

struct PositionsImpl : torch::nn::Module {
  PositionsImpl() { register_module("fc", fc); }
  Tensor forward(Tensor x) {
    auto positions = torch::arange(x.size(0)).to(x.device()); // expect: ml-create-then-move
    return fc(x) + positions;
  }
  torch::nn::Linear fc{10, 10};
};
TORCH_MODULE(Positions);
void uses_it(Positions net) { net->to(torch::kCUDA); }

void made_there_ok(torch::nn::Linear net) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(torch::randn({64, 10}, device)).mean().backward();
    optimizer.step();
  }
}

void once_ok(torch::nn::Linear net) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  auto noise = torch::randn({64, 10}).to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(noise).mean().backward();
    optimizer.step();
  }
}

// Values that the program has computed are on the CPU in any case.
void data_ok(torch::nn::Linear net, std::vector<float> values) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto x = torch::tensor(values).to(device);
    auto y = torch::from_blob(values.data(), {10}).to(device);
    (net(x) - y).mean().backward();
    optimizer.step();
  }
}

void to_the_cpu_ok(torch::nn::Linear net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(torch::randn({64, 10}).to(torch::kCPU)).mean().backward();
    optimizer.step();
  }
}

void now_and_then_ok(torch::nn::Linear net) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(torch::randn({64, 10}, device)).mean().backward();
    optimizer.step();
    if (i % 50 == 0)
      net(torch::randn({1, 10}).to(device));
  }
}
