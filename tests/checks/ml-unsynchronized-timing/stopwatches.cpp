// Classes of the user that read the clock when they begin and end.
#include <torch/torch.h>

#include <chrono>
#include <iostream>
#include <string>

using torch::Tensor;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

void report(double seconds);

class ScopedTimer {
public:
  explicit ScopedTimer(std::string what) : what(std::move(what)), begin(Clock::now()) {}
  ~ScopedTimer() {
    auto end = Clock::now();
    std::cout << what << ": "
              << std::chrono::duration_cast<std::chrono::microseconds>(end - begin).count();
  }

private:
  std::string what;
  Clock::time_point begin;
};

void scope_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  Tensor y;
  {
    ScopedTimer timer("forward"); // expect: ml-unsynchronized-timing (no fix): this time does not
    y = net(x);
  }
  y.sum();
}

void scope_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  Tensor y;
  {
    ScopedTimer timer("forward");
    y = net(x);
    torch::cuda::synchronize();
  }
  {
    ScopedTimer timer("to the host");
    y = y.cpu();
  }
  ScopedTimer timer("on the host");
  y.sum();
}

class AtOnce {
public:
  AtOnce() { begin = Clock::now(); }
  ~AtOnce() { report(Seconds(Clock::now() - begin).count()); }

private:
  Clock::time_point begin;
};

void at_once_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  AtOnce timer; // expect: ml-unsynchronized-timing (no fix)
  net(x);
}

class Stopwatch {
public:
  void start() { startTime = Clock::now(); }
  void stop() { stopTime = Clock::now(); }
  double seconds() const { return Seconds(stopTime - startTime).count(); }
  double soFar() const { return Seconds(Clock::now() - startTime).count(); }

private:
  Clock::time_point startTime, stopTime;
};

void stopped_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  Stopwatch watch;
  watch.start();
  net(x);
  watch.stop(); // expect: ml-unsynchronized-timing: this time does not
  report(watch.seconds());
}

void so_far_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  Stopwatch watch;
  watch.start();
  net(x);
  report(watch.soFar()); // expect: ml-unsynchronized-timing
}

void stopped_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  Stopwatch watch;
  watch.start();
  Tensor y = net(x);
  torch::cuda::synchronize();
  watch.stop();
  watch.start();
  y = net(x);
  if (watch.soFar() > 60)
    return;
  y.cpu();
  watch.stop();
  report(watch.seconds());
}

struct Span {
  Clock::time_point begin, end;
};

void fields_bad(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  x = x.cuda();
  Span span;
  span.begin = Clock::now();
  net(x);
  span.end = Clock::now(); // expect: ml-unsynchronized-timing
  report(Seconds(span.end - span.begin).count());
}

class Trainer {
public:
  explicit Trainer(torch::nn::Linear net) : net(net) { net->to(torch::kCUDA); }
  void epoch_bad(Tensor x) {
    watch.start();
    net(x.cuda());
    watch.stop(); // expect: ml-unsynchronized-timing
    report(watch.seconds());
  }

private:
  torch::nn::Linear net;
  Stopwatch watch;
};

// An object whose method times what it does itself is no clock.
class Detector {
public:
  explicit Detector(torch::nn::Linear net) : net(net) {}
  Tensor run_bad(Tensor image) {
    auto begin = Clock::now();
    image = net(image.cuda());
    report(Seconds(Clock::now() - begin).count()); // expect: ml-unsynchronized-timing: this time does not
    return image;
  }

private:
  torch::nn::Linear net;
};

void detect(torch::nn::Linear net, Tensor image) {
  net->to(torch::kCUDA);
  Detector detector(net);
  detector.run_bad(image);
}

// Who waits only where there is a GPU may have another clock for that.
static double seconds_of(torch::nn::Linear net, Tensor x) {
  const auto begin = Clock::now();
  auto y = net(x);
  return Seconds(Clock::now() - begin).count();
}

void other_clock_ok(torch::nn::Linear net, Tensor x) {
  const bool hasGpu = torch::cuda::is_available();
  if (hasGpu)
    torch::cuda::synchronize();
  net->to(torch::kCUDA);
  report(seconds_of(net, x.cuda()));
}
