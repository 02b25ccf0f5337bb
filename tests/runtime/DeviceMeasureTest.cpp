// What is measured on devices, the simulated ones: memory, checkpoints and their random numbers.
// Linked into device-test, whose DeviceTest.cpp chooses the devices.
#include "Expect.h"

#include <gradtidy/Checkpoint.h>
#include <gradtidy/MemorySummary.h>
#include <gradtidy/MemoryTracker.h>

using torch::Tensor;

namespace {

const torch::Device device(torch::kCUDA, 0), other(torch::kCUDA, 1);

} // namespace

TEST_CASE("a tracker counts the blocks of each device") {
  gradtidy::MemoryTracker memory({.history = true});
  {
    Tensor x = torch::zeros({1000}, device), y = torch::zeros({10}, other);
    CHECK(memory.delta(device) == 4096); // blocks are multiples of 512 bytes
    CHECK(memory.delta(other) == 512);
  }
  CHECK(memory.delta(device) == 0);
  CHECK(memory.peak(device) == 4096);
  CHECK(memory.peak() == 0);
  REQUIRE(memory.history().size() == 4);
  CHECK(memory.history()[0].device == device);
  CHECK(memory.summary().find("cuda:1          0 B        512 B        512 B        512 B") !=
        std::string::npos);
}

TEST_CASE("the summary of a device shows its allocator's statistics") {
  Tensor x = torch::zeros({3 << 20}, device);
  const std::string summary = gradtidy::memory_summary(device);
  CHECK(summary.find("CUDA memory of device 0: ") == 0);
  CHECK(summary.find("Allocated memory") != std::string::npos);
  auto lineOf = [&](const std::string &name) {
    const std::size_t at = summary.find(name);
    REQUIRE(at != std::string::npos);
    return summary.substr(at, summary.find('\n', at) - at);
  };
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  const std::string segments = " " + std::to_string(stats.segment[0].current) + " ";
  CHECK(lineOf("GPU reserved segments").find(segments) != std::string::npos);
  CHECK(lineOf("Allocated memory").find("12.00 MiB") != std::string::npos);
  CHECK(errorOf([] { gradtidy::memory_summary(torch::Device(torch::kCUDA, 9)); }) != "no error");
}

TEST_CASE("a checkpoint draws the device's random numbers again") {
  Tensor x = torch::ones({64}, torch::TensorOptions(device).requires_grad(true));
  std::vector<Tensor> masks;
  auto dropped = [&](Tensor in) {
    Tensor mask = torch::dropout(torch::ones_like(in), 0.5, true);
    masks.push_back(mask.detach().cpu());
    return in * mask;
  };
  gradtidy::checkpoint(dropped, x).sum().backward();
  REQUIRE(masks.size() == 2);
  CHECK(torch::equal(masks[0], masks[1]));
  CHECK(torch::equal(x.grad().cpu(), masks[0]));
  CHECK_FALSE(torch::equal(torch::dropout(torch::ones({64}, device), 0.5, true).cpu(), masks[0]));
}
