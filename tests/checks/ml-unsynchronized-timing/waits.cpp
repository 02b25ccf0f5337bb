// Times that contain the work of the GPU.
#include <torch/torch.h>

#include <chrono>
#include <iostream>
#include <string>

using torch::Tensor;
using Clock = std::chrono::steady_clock;

void report(double value);
void report(Clock::duration time);

void synchronized_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  auto start = Clock::now();
  auto y = net(x);
  torch::cuda::synchronize();
  auto end = Clock::now();
  report(end - start);
}

void if_there_is_one_ok(torch::nn::Linear net, Tensor x) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  x = x.to(device);
  auto start = Clock::now();
  auto y = net(x);
  if (torch::cuda::is_available())
    torch::cuda::synchronize();
  report(Clock::now() - start);
}

void if_it_is_used_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  x = x.to(device);
  auto start = Clock::now();
  auto y = net(x);
  if (device.is_cuda())
    torch::cuda::synchronize();
  auto end = Clock::now();
  report(end - start);
}

void item_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto start = Clock::now();
  auto loss = net(x.to(device)).mean();
  float value = loss.item<float>();
  auto end = Clock::now();
  report(end - start);
  report(value);
}

void copied_back_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  auto start = Clock::now();
  auto y = net(x.cuda()).cpu();
  report(Clock::now() - start);
}

void moved_back_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto start = Clock::now();
  auto y = net->forward(x.to(device));
  y = y.to(torch::kCPU);
  auto end = Clock::now();
  report(end - start);
}

void received_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto host = torch::empty({64, 10});
  auto start = Clock::now();
  host.copy_(net(x.to(device)));
  auto end = Clock::now();
  report(end - start);
}

void printed_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto start = Clock::now();
  std::cout << net(x.to(device)).mean() << "\n";
  auto end = Clock::now();
  report(end - start);
}

void wait(const Tensor &y);
void unknown_function_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  auto start = Clock::now();
  auto y = net(x.cuda());
  wait(y);
  auto end = Clock::now();
  report(end - start);
}

extern "C" int cudaDeviceSynchronize();
void driver_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  auto start = Clock::now();
  auto y = net(x);
  cudaDeviceSynchronize();
  auto end = Clock::now();
  report(end - start);
}

void waitForGpu() {
  if (torch::cuda::is_available())
    torch::cuda::synchronize();
}
void helper_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  x = x.to(device);
  auto start = Clock::now();
  auto y = net(x);
  waitForGpu();
  auto end = Clock::now();
  report(end - start);
}

// Saving needs the values.
void saved_ok(torch::nn::Linear net, Tensor x, const std::string &file) {
  net->to(torch::kCUDA);
  auto start = Clock::now();
  auto y = net(x.cuda());
  torch::save(y, file);
  auto end = Clock::now();
  report(end - start);
}

void epoch_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  x = x.to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    auto start = Clock::now();
    double total = 0;
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      auto loss = net(x).mean();
      loss.backward();
      optimizer.step();
      total += loss.item<double>();
    }
    auto end = Clock::now();
    report(end - start);
    report(total);
  }
}

void sum_of_the_epoch_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  x = x.to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto total = torch::zeros({1}, device);
  auto start = Clock::now();
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = net(x).mean();
    loss.backward();
    optimizer.step();
    total += loss.detach();
  }
  report(total.item<double>());
  report(Clock::now() - start);
}

// Where nothing is waited for, there is no GPU.
void only_for_gpus_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  x = x.to(device);
  if (device.is_cuda())
    torch::cuda::synchronize();
  auto start = Clock::now();
  net(x);
  if (device.is_cuda())
    torch::cuda::synchronize();
  auto end = Clock::now();
  report(end - start);
}

void only_if_chosen_ok(torch::nn::Linear net, Tensor x, bool use_gpu) {
  torch::Device device(use_gpu ? torch::kCUDA : torch::kCPU);
  net->to(device);
  x = x.to(device);
  if (use_gpu)
    torch::cuda::synchronize();
  auto start = Clock::now();
  net(x);
  if (use_gpu)
    torch::cuda::synchronize();
  auto end = Clock::now();
  report(end - start);
}

// How many there are, the host knows only when all is computed.
void positions_ok(torch::Tensor scores) {
  auto x = scores.to(torch::kCUDA);
  auto begin = std::chrono::steady_clock::now();
  auto found = torch::nonzero(x > 0.5);
  auto end = std::chrono::steady_clock::now();
  std::cout << (end - begin).count() << found.size(0);
}
