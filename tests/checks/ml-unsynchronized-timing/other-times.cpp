// Times that are not those of work of the GPU.
#include <torch/torch.h>

#include <chrono>
#include <thread>

using torch::Tensor;
using Clock = std::chrono::steady_clock;

void report(Clock::duration time);
void report(int64_t ticks);

void without_gpu_ok(torch::nn::Linear net) {
  auto x = torch::randn({64, 10});
  auto start = Clock::now();
  auto y = net(x);
  auto end = Clock::now();
  report(end - start);
}

void on_the_cpu_ok(torch::nn::Linear net, Tensor x) {
  torch::Device device(torch::kCPU);
  net->to(device);
  x = x.to(device);
  auto start = Clock::now();
  auto y = net(x);
  auto end = Clock::now();
  report(end - start);
}

void unknown_device_ok(torch::nn::Linear net, Tensor x) {
  auto start = Clock::now();
  auto y = net(x);
  auto end = Clock::now();
  report(end - start);
}

// Nothing is given to the GPU in this time.
void reading_data_ok(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  auto start = Clock::now();
  auto x = torch::randn({64, 10});
  auto end = Clock::now();
  net(x.to(device)).mean().backward();
  report(end - start);
}

// A copy from ordinary memory has ended when to() returns.
void upload_ok(Tensor samples, torch::Device device) {
  auto start = Clock::now();
  auto x = samples.to(device);
  auto end = Clock::now();
  report(end - start);
}

// Two phases: what is timed is the second, of the host.
void second_phase_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto y = net(x.to(device));
  auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  report(Clock::now() - start);
}

void nobody_asks_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  auto start = Clock::now();
  auto y = net(x);
  auto end = Clock::now();
  (void)start;
  (void)end;
}

void time_out_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  x = x.to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const auto start = Clock::now();
  while (Clock::now() - start < std::chrono::minutes(10)) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void break_after_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  x = x.to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const auto start = Clock::now();
  for (int i = 0; i < 1000; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
    auto now = Clock::now();
    if (now - start > std::chrono::hours(1))
      break;
  }
}

void deadline_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  const auto deadline = Clock::now() + std::chrono::seconds(60);
  while (Clock::now() < deadline)
    net(x);
}

// A picture every few milliseconds.
void frames_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  for (int i = 0; i < 100; ++i) {
    const auto start = Clock::now();
    auto y = net(x);
    std::this_thread::sleep_until(start + std::chrono::milliseconds(40));
  }
}

void seed_ok(torch::nn::Linear net, Tensor x) {
  torch::manual_seed(static_cast<uint64_t>(Clock::now().time_since_epoch().count()));
  net->to(torch::kCUDA);
  auto y = net(x.cuda());
  report(static_cast<int64_t>(Clock::now().time_since_epoch().count()));
}

// What the GPU is given after the time that is reported.
void after_the_time_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  auto start = Clock::now();
  auto y = net(x);
  torch::cuda::synchronize();
  auto end = Clock::now();
  y = net(y);
  auto now = Clock::now();
  report(end - start);
  report(static_cast<int64_t>(now.time_since_epoch().count()));
}
