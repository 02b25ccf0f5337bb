#include "Cuda.h"
#include "../backends/cuda/CudaDevices.h"
#include "../backends/sim/Simulator.h"
#include "Backend.h"
#include "Generator.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

namespace gradtidy::runtime {
namespace {

using Accelerators = std::vector<std::unique_ptr<Accelerator>>;

Accelerators makeAccelerators() {
  const char *chosen = std::getenv("GRADTIDY_DEVICE");
  std::string_view kind = chosen && *chosen ? chosen : "cpu";
  if (kind == "sim")
    return makeSimulatedDevices();
#if defined(GRADTIDY_CUDA)
  if (kind == "cuda")
    return makeCudaDevices();
#endif
  TORCH_CHECK(kind != "cuda", "GRADTIDY_DEVICE=cuda, but the runtime was built without CUDA: "
                              "GRADTIDY_DEVICE=sim simulates its devices");
  TORCH_CHECK(kind == "cpu", "GRADTIDY_DEVICE is '", std::string(kind),
              "'; it may be cpu, sim or cuda");
  return {};
}

/// Never destroyed: tensors of static storage duration may outlive every other static object.
const Accelerators &accelerators() {
  static auto *made = new Accelerators(makeAccelerators());
  return *made;
}

thread_local DeviceIndex currentDevice = 0;
thread_local std::map<DeviceIndex, StreamId> currentStreams;

} // namespace

Device resolved(Device device) {
  if (device.is_cpu())
    return kCPU;
  return device.has_index() ? device : Device(kCUDA, cuda::current_device());
}

Accelerator &acceleratorOf(Device device) {
  TORCH_CHECK(cuda::is_available(), "PyTorch is not linked with support for ",
              device.is_cpu() ? "cpu" : "cuda", " devices");
  auto index = static_cast<std::size_t>(resolved(device).index());
  TORCH_CHECK(index < accelerators().size(), "CUDA error: invalid device ordinal");
  return *accelerators()[index];
}

Backend &backendOf(Device device) {
  if (device.is_cpu())
    return cpuBackend();
  return acceleratorOf(device);
}

namespace cuda {
namespace {

DeviceIndex orCurrent(int64_t device) {
  return device < 0 ? current_device() : static_cast<DeviceIndex>(device);
}

void reseed(DeviceIndex device, uint64_t seed) {
  Generator &generator = Generator::of({kCUDA, device});
  std::lock_guard lock(generator.mutex());
  generator.seed(seed);
}

} // namespace

bool is_available() { return device_count() > 0; }
std::size_t device_count() { return accelerators().size(); }

void manual_seed(uint64_t seed) {
  if (is_available())
    reseed(current_device(), seed);
}

void manual_seed_all(uint64_t seed) {
  for (std::size_t i = 0; i < device_count(); ++i)
    reseed(static_cast<DeviceIndex>(i), seed);
}

void synchronize(int64_t device) {
  TORCH_CHECK(is_available(), "No CUDA GPUs are available");
  acceleratorOf({kCUDA, orCurrent(device)}).synchronize();
}

DeviceIndex current_device() { return currentDevice; }

void set_device(DeviceIndex device) {
  acceleratorOf({kCUDA, device});
  currentDevice = device;
}

CUDAStream getDefaultCUDAStream(DeviceIndex device) { return {orCurrent(device), 0}; }

CUDAStream getCurrentCUDAStream(DeviceIndex device) {
  device = orCurrent(device);
  return {device, currentStreams[device]};
}

CUDAStream getStreamFromPool(bool, DeviceIndex device) {
  static std::atomic<StreamId> next{0};
  return {orCurrent(device), 1 + next++ % 32};
}

void setCurrentCUDAStream(CUDAStream stream) {
  currentStreams[stream.device_index()] = stream.id();
}

bool CUDAStream::query() const { return acceleratorOf(device()).idle(number); }
void CUDAStream::synchronize() const { acceleratorOf(device()).mark(number)->wait(); }

CUDAEvent::CUDAEvent() : CUDAEvent(2) {} // cudaEventDisableTiming
CUDAEvent::CUDAEvent(unsigned flags) : flags(flags) {}
CUDAEvent::CUDAEvent(CUDAEvent &&) noexcept = default;
CUDAEvent &CUDAEvent::operator=(CUDAEvent &&) noexcept = default;
CUDAEvent::~CUDAEvent() = default;

void CUDAEvent::record(const CUDAStream &stream) {
  TORCH_CHECK(!marker || where == stream.device_index(), "Event device ", where,
              " does not match recording stream's device ", stream.device_index(), ".");
  where = stream.device_index();
  marker = acceleratorOf(stream.device()).mark(stream.id());
}

void CUDAEvent::block(const CUDAStream &stream) {
  if (marker)
    marker->block(stream.device_index(), stream.id());
}

bool CUDAEvent::query() const { return !marker || marker->reached(); }

void CUDAEvent::synchronize() const {
  if (marker)
    marker->wait();
}

float CUDAEvent::elapsed_time(const CUDAEvent &other) const {
  TORCH_CHECK(flags == 0 && other.flags == 0,
              "Both events must be created with argument 'enable_timing=True'.");
  TORCH_CHECK(marker && other.marker,
              "Both events must be recorded before calculating elapsed time.");
  TORCH_CHECK(query() && other.query(),
              "Both events must be completed before calculating elapsed time.");
  return static_cast<float>(marker->millisecondsTo(*other.marker));
}

namespace CUDACachingAllocator {

namespace {

template <class Change> void changeStats(DeviceIndex device, Change change) {
  acceleratorOf({kCUDA, device}).memory([&](BlockCache &memory) {
    DeviceStats &stats = memory.stats;
    for (auto *stat : {&stats.allocation, &stats.segment, &stats.active, &stats.inactive_split,
                       &stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes,
                       &stats.inactive_split_bytes, &stats.requested_bytes})
      for (Stat &pool : *stat)
        change(pool);
  });
}

} // namespace

DeviceStats getDeviceStats(DeviceIndex device) {
  DeviceStats stats;
  acceleratorOf({kCUDA, device}).memory([&](BlockCache &memory) { stats = memory.stats; });
  return stats;
}

void resetPeakStats(DeviceIndex device) {
  changeStats(device, [](Stat &stat) { stat.reset_peak(); });
}

void resetAccumulatedStats(DeviceIndex device) {
  changeStats(device, [](Stat &stat) { stat.reset_accumulated(); });
}

SnapshotInfo snapshot() {
  SnapshotInfo all;
  for (const auto &device : accelerators())
    device->memory([&](const BlockCache &memory) {
      auto segments = memory.snapshot();
      all.segments.insert(all.segments.end(), segments.begin(), segments.end());
    });
  return all;
}

void emptyCache() {
  for (const auto &device : accelerators())
    device->memory([](BlockCache &memory) { memory.clear(); });
}

} // namespace CUDACachingAllocator
} // namespace cuda
} // namespace gradtidy::runtime
