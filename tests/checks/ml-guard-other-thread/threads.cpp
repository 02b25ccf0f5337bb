// Guards act in their thread only.
#include <torch/torch.h>

#include <future>
#include <thread>

using Net = torch::nn::Linear;

void guard_outside_the_thread_bad(Net net, torch::Tensor x) {
  net->eval();
  torch::NoGradGuard noGrad;
  std::thread worker([&] {
    auto prediction = net(x).argmax(1).sum().item<int64_t>(); // expect: ml-guard-other-thread (level 1)
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

void guard_outside_async_bad(Net net, torch::Tensor x) {
  net->eval();
  torch::NoGradGuard noGrad;
  auto result = std::async(std::launch::async, [&] {
    return net(x).argmax(1).sum().item<int64_t>(); // expect: ml-guard-other-thread (level 1)
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

void several_forwards_bad(Net a, Net b, torch::Tensor x) {
  a->eval();
  b->eval();
  torch::NoGradGuard noGrad;
  std::thread worker([&] {
    auto first = a(x).sum().item<double>(); // expect: ml-guard-other-thread
    auto second = b(x).sum().item<double>();
  });
  worker.join();
}

torch::Tensor predict(Net net, torch::Tensor x) { return net(x).argmax(1); } // expect: ml-guard-other-thread
void in_a_helper_bad(Net net, torch::Tensor x) {
  net->eval();
  torch::InferenceMode mode;
  std::thread worker([&] { auto sum = predict(net, x).sum().item<int64_t>(); });
  worker.join();
}

// Asynchronous training: what a thread trains needs its graph.
void trained_in_the_thread_ok(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  std::thread worker([&] {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  });
  worker.join();
}

// Nobody has disabled anything: see ml-missing-no-grad.
void without_guard_ok(Net net, torch::Tensor x) {
  net->eval();
  std::thread worker([&] { auto sum = net(x).sum().item<double>(); });
  worker.join();
}

void guard_ends_before_ok(Net net, torch::Tensor x) {
  net->eval();
  {
    torch::NoGradGuard noGrad;
    auto sum = net(x).sum().item<double>();
  }
  std::thread worker([&] { auto sum = net(x).sum().item<double>(); });
  worker.join();
}
