// Guards act in their thread only: see ml-guard-other-thread.
#include <torch/torch.h>

#include <future>
#include <thread>

using Net = torch::nn::Linear;

void guard_outside_the_thread_ok(Net net, torch::Tensor x) {
  net->eval();
  torch::NoGradGuard noGrad;
  std::thread worker([&] {
    auto prediction = net(x).argmax(1).sum().item<int64_t>();
  });
  worker.join();
}

void guard_inside_the_thread_ok(Net net, torch::Tensor x) {
  net->eval();
  std::thread worker([&] {
    torch::NoGradGuard noGrad;
    auto prediction = net(x).argmax(1).sum().item<int64_t>();
  });
  worker.join();
}

void guard_outside_async_ok(Net net, torch::Tensor x) {
  net->eval();
  torch::NoGradGuard noGrad;
  auto result = std::async(std::launch::async, [&] {
    return net(x).argmax(1).sum().item<int64_t>();
  });
  result.get();
}

void guard_inside_async_ok(Net net, torch::Tensor x) {
  net->eval();
  auto result = std::async(std::launch::async, [&] {
    torch::NoGradGuard noGrad;
    return net(x).argmax(1).sum().item<int64_t>();
  });
  result.get();
}

// Not handed to a thread: called here, under the guard.
void called_here_ok(Net net, torch::Tensor x) {
  net->eval();
  torch::NoGradGuard noGrad;
  const auto predict = [&] { return net(x).argmax(1).sum().item<int64_t>(); };
  predict();
}
