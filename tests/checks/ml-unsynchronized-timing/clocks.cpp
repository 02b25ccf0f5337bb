// Two looks at the clock, and what the GPU is given to do between them.
#include <torch/torch.h>

#include <chrono>
#include <ctime>
#include <iostream>

using torch::Tensor;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

void report(double seconds);

void forward_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  auto start = std::chrono::high_resolution_clock::now();
  auto y = net(x); // note: the GPU is given work here
  auto end =
      std::chrono::high_resolution_clock::now(); // expect: ml-unsynchronized-timing: this time
  report(Seconds(end - start).count());
}

void step_bad(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  x = x.to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto start = Clock::now();
    optimizer.zero_grad();
    auto loss = net(x).mean();
    loss.backward();
    optimizer.step(); // note: the GPU is given work here
    auto end = Clock::now(); // expect: ml-unsynchronized-timing: does not contain the work
    std::cout << std::chrono::duration_cast<std::chrono::milliseconds>(end - start).count();
  }
}

void subtracted_at_once_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  auto input = x.cuda();
  const auto start = std::chrono::system_clock::now();
  auto y = net->forward(input); // note: the GPU is given work here
  Seconds time = std::chrono::system_clock::now() - start; // expect: ml-unsynchronized-timing
  report(time.count());
}

Clock::duration returned_bad(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto input = x.to(device);
  auto start = Clock::now();
  net->forward(input); // note: the GPU is given work here
  return Clock::now() - start; // expect: ml-unsynchronized-timing
}

void operation_bad(torch::Device device) {
  auto a = torch::randn({1000, 1000}, device);
  auto b = torch::randn({1000, 1000}, device);
  auto start = Clock::now();
  auto c = torch::matmul(a, b); // note: the GPU is given work here
  auto end = Clock::now(); // expect: ml-unsynchronized-timing
  report(Seconds(end - start).count());
}

void backward_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  auto loss = net(x.cuda()).mean();
  torch::cuda::synchronize();
  auto start = Clock::now();
  loss.backward(); // note: the GPU is given work here
  auto end = Clock::now(); // expect: ml-unsynchronized-timing
  report(Seconds(end - start).count());
}

void optimizer_bad(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  torch::optim::Adam optimizer(net->parameters());
  net(x.to(device)).mean().backward();
  auto start = Clock::now();
  optimizer.step();
  auto end = Clock::now(); // miss: ml-unsynchronized-timing: who steps on which device
  report(Seconds(end - start).count());
}

// Who reads the loss waits, but not for what comes then.
void read_too_early_bad(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto start = Clock::now();
  auto loss = net(x.to(device)).mean();
  float value = loss.item<float>();
  loss.backward();
  optimizer.step(); // note: the GPU is given work here
  auto end = Clock::now(); // expect: ml-unsynchronized-timing
  report(value / Seconds(end - start).count());
}

void synchronized_too_late_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  torch::cuda::synchronize();
  auto start = Clock::now();
  auto y = net(x); // note: the GPU is given work here
  auto end = Clock::now(); // expect: ml-unsynchronized-timing
  torch::cuda::synchronize();
  report(Seconds(end - start).count());
}

void many_steps_bad(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  x = x.to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto start = Clock::now();
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step(); // note: the GPU is given work here
  }
  auto end = Clock::now(); // expect: ml-unsynchronized-timing
  report(Seconds(end - start).count() / 100);
}

void assigned_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  Clock::time_point start, end;
  start = Clock::now();
  auto y = net(x); // note: the GPU is given work here
  end = Clock::now(); // expect: ml-unsynchronized-timing
  report(Seconds(end - start).count());
}

void chosen_bad(torch::nn::Linear net) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  auto x = torch::randn({64, 10}, device);
  auto start = Clock::now();
  auto y = net(x); // note: the GPU is given work here
  auto end = Clock::now(); // expect: ml-unsynchronized-timing
  report(Seconds(end - start).count());
}

// The copy waits for nothing that comes later.
void second_pass_bad(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto start = Clock::now();
  auto y = net(x.to(device));
  auto first = y.cpu();
  auto second = net(y); // note: the GPU is given work here
  auto end = Clock::now(); // expect: ml-unsynchronized-timing
  report(Seconds(end - start).count() + first.mean().item<double>());
}

// There is no place for another statement.
void without_braces_bad(torch::nn::Linear net, Tensor x, bool log) {
  net->to(torch::kCUDA);
  x = x.cuda();
  const auto start = Clock::now();
  auto y = net(x); // note: the GPU is given work here
  if (log)
    report(Seconds(Clock::now() - start).count()); // expect: ml-unsynchronized-timing (no fix)
}

void ticks_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  clock_t start = clock();
  auto y = net(x); // note: the GPU is given work here
  clock_t end = clock(); // expect: ml-unsynchronized-timing
  report(double(end - start) / CLOCKS_PER_SEC);
}

void ticks_asked_bad(torch::nn::Linear net, Tensor x) {
  if (torch::cuda::is_available() && torch::cuda::cudnn_is_available()) {
    x = x.to(torch::kCUDA);
    net->to(torch::kCUDA);
  }
  std::clock_t start, end;
  start = std::clock();
  auto y = net(x); // note: the GPU is given work here
  end = std::clock(); // expect: ml-unsynchronized-timing
  report((end - start) / 1e6);
}

void ticks_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  clock_t start = clock();
  auto y = net(x);
  torch::cuda::synchronize();
  clock_t end = clock();
  report(double(end - start) / CLOCKS_PER_SEC);
}

// Nobody reads the time.
void left_over_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  auto start = Clock::now();
  auto y = net(x);
  auto end = Clock::now();
  auto duration = end - start;
  auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  // std::cout << milliseconds;
}

void read_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  auto start = Clock::now();
  auto y = net(x);         // note: the GPU is given work here
  auto end = Clock::now(); // expect: ml-unsynchronized-timing
  auto duration = end - start;
  auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  std::cout << milliseconds;
}

static const auto programStart = Clock::now();

template <class Unit> inline int64_t timestamp() {
  const auto now = Clock::now();
  return std::chrono::duration_cast<Unit>(now - programStart).count();
}

void helper_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  const auto start = timestamp<std::chrono::milliseconds>();
  auto y = net(x);                                         // note: the GPU is given work here
  const auto end = timestamp<std::chrono::milliseconds>(); // expect: ml-unsynchronized-timing
  report(double(end - start));
}

void helper_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  const auto start = timestamp<std::chrono::milliseconds>();
  auto y = net(x);
  torch::cuda::synchronize();
  const auto end = timestamp<std::chrono::milliseconds>();
  report(double(end - start));
}

void stages_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  Clock::time_point stage[4];
  stage[0] = Clock::now();
  auto y = net(x); // note: the GPU is given work here
  stage[1] = Clock::now(); // expect: ml-unsynchronized-timing
  auto scores = y.cpu();
  stage[2] = Clock::now();
  for (int i = 0; i < 2; ++i)
    report(Seconds(stage[i + 1] - stage[i]).count());
}

// Nobody asks when the second stage began.
void whole_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  Clock::time_point stage[4];
  stage[0] = Clock::now();
  auto y = net(x);
  stage[1] = Clock::now();
  auto scores = y.cpu();
  stage[2] = Clock::now();
  report(Seconds(stage[2] - stage[0]).count());
}

static double between(Clock::time_point from, Clock::time_point to) {
  return Seconds(to - from).count() * 1e3;
}

void subtracted_elsewhere_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  const auto start = Clock::now();
  auto y = net(x);               // note: the GPU is given work here
  const auto end = Clock::now(); // expect: ml-unsynchronized-timing
  auto scores = y.cpu();
  report(between(start, end));
}

void subtracted_elsewhere_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  const auto start = Clock::now();
  auto scores = net(x).cpu();
  const auto end = Clock::now();
  report(between(start, end));
}


void as_numbers_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  long begin, end;
  begin = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
              .count();
  auto y = net(x); // note: the GPU is given work here
  end = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()) // expect: ml-unsynchronized-timing
            .count();
  auto scores = y.cpu();
  report(end - begin);
}
