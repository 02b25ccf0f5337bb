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

// What is made of it on the CPU was made there, too.
struct GridImpl : torch::nn::Module {
  GridImpl() { register_module("fc", fc); }
  Tensor forward(Tensor x) {
    auto columns = torch::linspace(0, 9, 10).repeat({10, 1}).view({-1}).to(x.options()); // expect: ml-create-then-move (no fix)
    auto mask = torch::triu(torch::ones({10, 10}), 1).to(x.device()); // expect: ml-create-then-move (no fix)
    auto both = torch::cat({torch::zeros({2}), torch::ones({8})}).to(x); // expect: ml-create-then-move (no fix)
    return helper(fc(x) * mask + columns + both, x);
  }
  Tensor helper(Tensor y, const Tensor &x) {
    auto mean = torch::tensor({0.4, 0.5, 0.6}).to(x.device()); // expect: ml-create-then-move (no fix): these constants
    return y - mean.sum();
  }
  // Of what it gets.
  Tensor given_ok(Tensor x, std::vector<float> values) {
    auto listed = torch::tensor(values).to(x.device());
    auto mixed = (torch::ones({10}) * torch::tensor(values)).to(x.device());
    auto on_the_host = (torch::ones({10}) + x.cpu()).to(x.device());
    return x + listed + mixed + on_the_host;
  }
  torch::nn::Linear fc{10, 10};
};
TORCH_MODULE(Grid);
void uses_grid(Grid net) { net->to(torch::kCUDA); }

void trainer_bad(torch::nn::Linear &net, torch::Device device) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto noise = torch::randn({64, 10}).to(device); // expect: ml-create-then-move
    net(noise).mean().backward();
    optimizer.step();
  }
}
void trains_on_demand(int argc) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  torch::nn::Linear net(10, 10);
  net->to(device);
  if (argc > 1)
    trainer_bad(net, device);
}

// Filled by hand, and stored for that.
struct FilledImpl : torch::nn::Module {
  Tensor forward_ok(Tensor x) {
    auto table = torch::zeros({10});
    for (int i = 0; i < 10; ++i)
      table[i] = i * i;
    return x + table.to(x.device());
  }
};
TORCH_MODULE(Filled);

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

// Once an epoch, by what trains in a loop of its own.
void train_epoch_ok(torch::nn::Linear &net, torch::optim::SGD &optimizer, torch::Device device) {
  auto offset = torch::zeros({64, 10}).to(device);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(torch::randn({64, 10}, device) + offset).mean().backward();
    optimizer.step();
  }
}
void train_step_bad(torch::nn::Linear &net, torch::optim::SGD &optimizer, torch::Device device) {
  auto offset = torch::zeros({64, 10}).to(device); // expect: ml-create-then-move
  optimizer.zero_grad();
  net(torch::randn({64, 10}, device) + offset).mean().backward();
  optimizer.step();
}
void epochs(torch::nn::Linear net) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch)
    train_epoch_ok(net, optimizer, device);
  for (int step = 0; step < 10; ++step)
    train_step_bad(net, optimizer, device);
}
