// The toolbox on simulated devices, whose clock makes every figure exact. Linked into device-test,
// whose DeviceTest.cpp chooses the devices.
#include "Expect.h"

#include <c10/cuda/CUDAStream.h>
#include <gradtidy/toolbox.h>

using torch::Tensor;

namespace {

const torch::Device device(torch::kCUDA, 0), other(torch::kCUDA, 1);

} // namespace

TEST_CASE("strays are named with the device they are on") {
  torch::nn::Sequential model(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8));
  model->to(device);
  CHECK_NOTHROW(gradtidy::verifyDevice(*model, device));
  CHECK_NOTHROW(gradtidy::verifyDevice(*model, torch::kCUDA));
  model->named_modules()["1"]->to(torch::kCPU);
  model->named_parameters()["0.bias"].set_data(torch::zeros({8}, other));
  CHECK(errorOf([&] { gradtidy::verifyDevice(*model, device); }) ==
        "6 of 7 parameters and buffers are not on cuda:0:\n"
        "  parameter 0.bias is on cuda:1\n"
        "  parameter 1.weight is on cpu\n"
        "  parameter 1.bias is on cpu\n"
        "  buffer 1.running_mean is on cpu\n"
        "  buffer 1.running_var is on cpu\n"
        "  buffer 1.num_batches_tracked is on cpu");
}

TEST_CASE("transfers and waits are counted by step") {
  const Tensor host = torch::ones({1, 256}), pinned = host.pin_memory();
  torch::nn::Linear model(256, 1);
  model->to(device);
  gradtidy::TransferCounter counter;
  Tensor loss = model(pinned.to(device, /*non_blocking=*/true)).sum();
  loss.backward();
  counter.step();
  Tensor batch = host.to(device);
  Tensor result = batch.sum();
  result.item<float>();
  if (batch.isnan().any().item<bool>())
    FAIL();
  batch.to(other);
  result.to(torch::kCPU);
  counter.step();
  REQUIRE(counter.steps().size() == 2);
  const auto &good = counter.steps()[0], &bad = counter.steps()[1];
  CHECK(good.toDevice.count == 1);
  CHECK(good.toDevice.bytes == 1024);
  CHECK(good.waits == 0);
  CHECK(bad.toDevice.count == 1);
  CHECK(bad.toHost.count == 1);
  CHECK(bad.toHost.bytes == 4);
  CHECK(bad.betweenDevices.count == 1);
  CHECK(bad.betweenDevices.bytes == 1024);
  CHECK(bad.reads == 2);
  CHECK(bad.waits == 4);
  CHECK(counter.text(1) == "step     to device  to host       between  reads  waits\n"
                           "2     1 (1.00 KiB)  1 (4 B)  1 (1.00 KiB)      2      4\n");
}

TEST_CASE("a device that waits for pageable copies is not busy, one with work queued is") {
  const Tensor weight = torch::ones({512, 512}, device), host = torch::ones({512, 512});
  auto busyWith = [&](const Tensor &source, bool wait) {
    torch::cuda::synchronize();
    gradtidy::BusyMeter meter(device);
    for (int i = 0; i < 50; ++i) { // more than the meter keeps
      Tensor batch = source.to(device, /*non_blocking=*/!wait);
      meter.work();
      for (int k = 0; k < 4; ++k)
        batch = batch.mm(weight);
      meter.step();
    }
    const std::string text = meter.text();
    CHECK((text.find("the loader is too slow") != std::string::npos) == (meter.busy() < 0.8));
    CHECK(text.find("in 50 steps") != std::string::npos);
    return meter.busy();
  };
  // 0.19 ms for a copy at 6 GB/s, 4 x 15 us for the products at 20 TFLOPS
  CHECK(busyWith(host, true) == Approx(0.24).margin(0.03));
  CHECK(busyWith(weight, false) > 0.99); // already there
}

TEST_CASE("the benchmark finds the bandwidth of the simulator") {
  gradtidy::TransferOptions options;
  options.sizes = {1000000, 100000000};
  const auto results = gradtidy::benchmarkTransfers(device, options);
  REQUIRE(results.size() == 8);
  CHECK(results[0].name() == "pageable to device");
  CHECK(results[1].gigabytesPerSecond() == Approx(6).epsilon(0.01));
  CHECK(results[3].gigabytesPerSecond() == Approx(6).epsilon(0.01));
  CHECK(results[7].name() == "pinned to host");
  CHECK(results[7].gigabytesPerSecond() == Approx(24).epsilon(0.01));
  CHECK(results[6].gigabytesPerSecond() < 20); // 10 us of fixed cost
  CHECK(gradtidy::transferTable(results).find("pinned to host      100   4.1") !=
        std::string::npos);
  CHECK(gradtidy::transferPlot(results) == gradtidy::transferPlot(results));
}

TEST_CASE("bfloat16 halves the memory and the time of work that memory limits") {
  auto in = [](torch::Dtype type) {
    return [type]() -> std::function<Tensor()> {
      Tensor x = torch::ones({1 << 20}, torch::dtype(type).device(device));
      return [x] {
        for (int i = 0; i < 32; ++i)
          x.mul_(1);
        return x[0];
      };
    };
  };
  const auto results = gradtidy::comparePrecisions(
      {{"float32", in(torch::kFloat)}, {"bfloat16", in(torch::kBFloat16)}}, device,
      {.steps = 4, .warmup = 1});
  CHECK(results[0].peak >= 4 << 20);
  CHECK(results[1].peak < results[0].peak);
  CHECK(results[1].milliseconds < 0.8 * results[0].milliseconds);
  CHECK(results[0].losses.size() == 4);
  CHECK(results[0].losses.back() == 1);
}

TEST_CASE("gradients, ReLUs, NaN and tensors are looked at on a device, too") {
  torch::manual_seed(1);
  torch::nn::Sequential model(torch::nn::Linear(4, 8), torch::nn::ReLU(), torch::nn::Linear(8, 1));
  model->to(device);
  const Tensor batch = torch::ones({2, 4}, device);
  gradtidy::DeadReluDetector detector;
  gradtidy::NanFinder finder(*model);
  Tensor loss = model->forward(batch).log().sum() * 0;
  (loss + model->forward(batch).sum() * 100).backward();
  REQUIRE(detector.layers().size() == 2);
  CHECK(detector.layers()[0].units == 8);
  CHECK(detector.layers()[0].shape == "[2, 8]");
  gradtidy::TransferCounter counter;
  gradtidy::GradientNormMonitor monitor(*model);
  const auto reading = monitor.read();
  CHECK(counter.sinceStep().waits == 1);
  CHECK(reading.state != gradtidy::GradientState::Fine);
  const auto info = gradtidy::tensorInfo(torch::full({3}, 2.5, device), "x");
  CHECK(info.text() ==
        "x: Float [3] on cuda:0, 12 B, strides [1], leaf; min 2.5, max 2.5, mean 2.5, "
        "0 NaN, 0 Inf");
}
