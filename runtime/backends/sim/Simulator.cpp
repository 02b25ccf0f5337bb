#include "Simulator.h"
#include "../../core/Cuda.h"
#include "../../core/Storage.h"
#include "Arena.h"
#include "Kernels.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <queue>
#include <unistd.h>
#include <utility>

namespace gradtidy::runtime {
namespace {

using Model = SimulatedModel;

class SimulatedDevice;

/// The clocks of the host and of all streams, and the work that is still to be executed.
class Simulator {
public:
  /// Adds work of `seconds` to a stream, to begin when the stream is through with earlier work.
  void queue(SimulatedDevice &device, StreamId stream, double seconds, std::function<void()> work);
  void waitUntil(double time) {
    now = std::max(now, time);
    executeUntil(now);
  }
  void spend(double seconds) { waitUntil(now + seconds); }

  double now = 0;
  /// Held by whoever looks at the simulator or one of its devices.
  std::recursive_mutex mutex;

private:
  struct Pending {
    double end;
    uint64_t number;
    SimulatedDevice *device;
    std::function<void()> work;
    bool operator<(const Pending &other) const { // the first to end is the greatest
      return std::pair(end, number) > std::pair(other.end, other.number);
    }
  };

  void executeUntil(double time);

  std::priority_queue<Pending> pending;
  uint64_t counter = 0;
};

Simulator &simulator() {
  static auto *simulator = new Simulator; // outlives all tensors
  return *simulator;
}

using Lock = std::lock_guard<std::recursive_mutex>;

class SimulatedDevice final : public Accelerator, private MemoryDriver {
public:
  SimulatedDevice(DeviceIndex index, std::size_t capacity)
      : index(index), arena(capacity), cache(*this) {}

  void *allocate(std::size_t bytes) override;
  void release(void *memory) override {
    Lock lock(simulator().mutex);
    cache.release(memory);
  }
  void copy(void *to, const void *from, std::size_t bytes) override {
    auto *target = kernelAddress(to), *source = kernelAddress(const_cast<void *>(from));
    launch("copy_", {2 * static_cast<int64_t>(bytes), 0},
           [=] { std::memcpy(target, source, bytes); });
  }
  bool multiply(const MatrixProduct &product) override;

  void *kernelAddress(void *memory) const override { return arena.reach(memory); }
  void launch(const char *name, Work work, std::function<void()> kernel) override;
  void launchIn(StreamId stream, Work work, std::function<void()> kernel);
  void upload(void *to, const std::shared_ptr<Storage> &host, const void *from, std::size_t bytes,
              bool wait) override;
  void download(const std::shared_ptr<Storage> &host, void *to, const void *from, std::size_t bytes,
                bool wait) override;
  void copyToPeer(Accelerator &peer, void *to, const void *from, std::size_t bytes) override;

  bool owns(const void *memory) const override { return arena.contains(memory); }
  std::unique_ptr<Marker> mark(StreamId stream) override;
  std::unique_ptr<Marker> fence(StreamId stream) override;
  void *acquirePinned(std::size_t bytes) override { return cpuBackend().allocate(bytes); }
  void giveBackPinned(void *memory) override { cpuBackend().release(memory); }
  void synchronize() override;
  void memory(const std::function<void(BlockCache &)> &use) override {
    Lock lock(simulator().mutex);
    use(cache);
  }

  void *acquireForProgram(std::size_t bytes);
  bool giveBackOfProgram(void *memory);
  std::size_t blockSize(const void *address) const;

  StreamId currentStream() const { return cuda::getCurrentCUDAStream(index).id(); }
  /// When the work queued so far in a stream will be done.
  double &endOf(StreamId stream) { return ends.at(static_cast<std::size_t>(stream)); }
  /// Throws if a kernel has failed.
  void check() const;

  const DeviceIndex index;
  const Arena &pages() const { return arena; }
  const BlockCache &blocks() const { return cache; }
  /// What a kernel failed of; nothing works on the device any more.
  CudaError failure = CudaError::Success;

private:
  void *acquire(std::size_t bytes) override { return arena.acquire(bytes); }
  void giveBack(void *segment, std::size_t bytes) override { arena.giveBack(segment, bytes); }
  bool waitForDevice() override {
    simulator().waitUntil(*std::max_element(ends.begin(), ends.end()));
    return true;
  }
  std::unique_ptr<Marker> mark(StreamKey stream) override {
    return acceleratorOf({kCUDA, stream.device}).fence(stream.stream);
  }
  /// A copy between host and device, whose work is `move`.
  void transfer(const std::shared_ptr<Storage> &host, std::size_t bytes, bool wait,
                std::function<void()> move);
  [[noreturn]] void failForMemory(std::size_t bytes);

  Arena arena;
  BlockCache cache;
  std::map<const char *, std::size_t> ofProgram; // what it has got from the driver itself
  std::array<double, 33> ends{};                 // the default stream and those of the pool
};

void Simulator::queue(SimulatedDevice &device, StreamId stream, double seconds,
                      std::function<void()> work) {
  static const bool blocking = [] {
    const char *value = std::getenv("CUDA_LAUNCH_BLOCKING");
    return value && std::string(value) == "1";
  }();
  device.check();
  spend(Model::launchSeconds);
  if (pending.size() >= Model::queueLength)
    waitUntil(pending.top().end);
  double &end = device.endOf(stream);
  end = std::max(end, now) + seconds;
  pending.push({end, counter++, &device, std::move(work)});
  if (blocking) {
    waitUntil(end);
    device.check();
  }
}

void Simulator::executeUntil(double time) {
  while (!pending.empty() && pending.top().end <= time) {
    Pending next = std::move(const_cast<Pending &>(pending.top()));
    pending.pop();
    if (next.device->failure != CudaError::Success)
      continue;
    try {
      next.work();
    } catch (const std::exception &error) {
      const bool isAccess = dynamic_cast<const IllegalAccess *>(&error);
      next.device->failure = isAccess ? CudaError::IllegalAddress : CudaError::Assert;
      std::fprintf(stderr, "cuda:%d: a kernel failed: %s\n", next.device->index, error.what());
    }
  }
}

void SimulatedDevice::check() const { cuda::checkError(static_cast<int>(failure)); }

std::string inUnits(std::size_t bytes) {
  static constexpr std::pair<const char *, double> units[] = {
      {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}};
  for (auto [unit, size] : units)
    if (static_cast<double>(bytes) > size || (size == 1 << 10 && bytes > 1 << 10)) {
      char text[32];
      std::snprintf(text, sizeof text, "%.2f %s", static_cast<double>(bytes) / size, unit);
      return text;
    }
  return std::to_string(bytes) + " bytes";
}

void SimulatedDevice::failForMemory(std::size_t bytes) {
  auto current = [](const CachingAllocator::StatArray &stat) {
    return static_cast<std::size_t>(stat[0].current);
  };
  std::size_t allocated = current(cache.stats.allocated_bytes);
  std::size_t reserved = current(cache.stats.reserved_bytes);
  throw OutOfMemoryError(concat(
      "CUDA out of memory. Tried to allocate ", inUnits(bytes), ". GPU ", index,
      " has a total capacity of ", inUnits(arena.capacity), " of which ",
      inUnits(arena.capacity - arena.used),
      " is free. Including non-PyTorch memory, this process has ", inUnits(arena.used),
      " memory in use. Of the allocated memory ", inUnits(allocated),
      " is allocated by PyTorch, and ", inUnits(reserved - allocated),
      " is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "
      "setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
      "documentation for Memory Management  "
      "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"));
}

void *SimulatedDevice::allocate(std::size_t bytes) {
  Lock lock(simulator().mutex);
  check();
  void *memory = cache.allocate(bytes, {index, currentStream()});
  if (!memory)
    failForMemory(bytes);
  return memory;
}

void SimulatedDevice::launch(const char *, Work work, std::function<void()> kernel) {
  // LibTorch asks behind each launch of its own, and is told of one before that nobody asked for.
  cuda::checkError(static_cast<int>(takeLastError()));
  launchIn(currentStream(), work, std::move(kernel));
}

void SimulatedDevice::launchIn(StreamId stream, Work work, std::function<void()> kernel) {
  Lock lock(simulator().mutex);
  double seconds = std::max(static_cast<double>(work.bytes) / Model::memoryBandwidth,
                            static_cast<double>(work.operations) / Model::arithmetic);
  simulator().queue(*this, stream, Model::kernelSeconds + seconds, std::move(kernel));
}

bool SimulatedDevice::multiply(const MatrixProduct &product) {
  if (product.epilogue)
    return false;
  MatrixProduct p = product;
  p.a.data = kernelAddress(const_cast<void *>(p.a.data));
  p.b.data = kernelAddress(const_cast<void *>(p.b.data));
  p.c = kernelAddress(p.c);
  auto size = static_cast<int64_t>(elementSize(p.type));
  launch("mm",
         {p.batch * (p.m * p.k + p.k * p.n + p.m * p.n) * size, 2 * p.batch * p.m * p.n * p.k},
         [=] { cpuBackend().multiply(p); });
  return true;
}

void SimulatedDevice::transfer(const std::shared_ptr<Storage> &host, std::size_t bytes, bool wait,
                               std::function<void()> move) {
  Lock lock(simulator().mutex);
  double bandwidth = host->isPinned() ? Model::pinnedBandwidth : Model::pageableBandwidth;
  StreamId stream = currentStream();
  simulator().queue(*this, stream, Model::copySeconds + static_cast<double>(bytes) / bandwidth,
                    std::move(move));
  if (wait || !host->isPinned()) {
    simulator().waitUntil(endOf(stream));
    check();
  }
}

void SimulatedDevice::upload(void *to, const std::shared_ptr<Storage> &host, const void *from,
                             std::size_t bytes, bool wait) {
  transfer(host, bytes, wait,
           [from, bytes, target = kernelAddress(to)] { std::memcpy(target, from, bytes); });
}

void SimulatedDevice::download(const std::shared_ptr<Storage> &host, void *to, const void *from,
                               std::size_t bytes, bool wait) {
  transfer(host, bytes, wait, [to, bytes, source = kernelAddress(const_cast<void *>(from))] {
    std::memcpy(to, source, bytes);
  });
}

void SimulatedDevice::copyToPeer(Accelerator &peer, void *to, const void *from, std::size_t bytes) {
  Lock lock(simulator().mutex);
  auto &other = static_cast<SimulatedDevice &>(peer);
  void *target = other.kernelAddress(to), *source = kernelAddress(const_cast<void *>(from));
  double &start = endOf(currentStream()), &otherEnd = other.endOf(other.currentStream());
  start = std::max(start, otherEnd);
  simulator().queue(*this, currentStream(),
                    Model::copySeconds + static_cast<double>(bytes) / Model::peerBandwidth,
                    [=] { std::memcpy(target, source, bytes); });
  otherEnd = start;
}

void *SimulatedDevice::acquireForProgram(std::size_t bytes) {
  Lock lock(simulator().mutex);
  constexpr std::size_t page = 4096;
  const std::size_t size = (bytes + page - 1) / page * page;
  simulator().spend(Model::driverSeconds);
  void *memory = arena.acquire(size);
  if (memory)
    ofProgram[static_cast<const char *>(memory)] = size;
  return memory;
}

bool SimulatedDevice::giveBackOfProgram(void *memory) {
  Lock lock(simulator().mutex);
  const auto block = ofProgram.find(static_cast<const char *>(memory));
  if (block == ofProgram.end())
    return false;
  synchronize();
  simulator().spend(Model::driverSeconds);
  arena.giveBack(memory, block->second);
  ofProgram.erase(block);
  return true;
}

std::size_t SimulatedDevice::blockSize(const void *address) const {
  Lock lock(simulator().mutex);
  if (const BlockCache::Block *block = cache.find(address))
    return block->requested;
  const auto above = ofProgram.upper_bound(static_cast<const char *>(address));
  const auto block = above == ofProgram.begin() ? ofProgram.end() : std::prev(above);
  return block != ofProgram.end() && address < block->first + block->second ? block->second : 0;
}

class SimulatedMarker : public Marker {
public:
  SimulatedMarker(SimulatedDevice &device, double time) : device(device), time(time) {}

  bool reached() override {
    Lock lock(simulator().mutex);
    simulator().spend(Model::launchSeconds); // asking takes time, or a loop that asks would not end
    device.check();
    return time <= simulator().now;
  }
  void wait() override {
    Lock lock(simulator().mutex);
    simulator().waitUntil(time);
    device.check();
  }
  void block(DeviceIndex other, StreamId stream) override {
    Lock lock(simulator().mutex);
    double &end = static_cast<SimulatedDevice &>(acceleratorOf({kCUDA, other})).endOf(stream);
    end = std::max(end, time);
  }
  double millisecondsTo(Marker &later) override {
    return (static_cast<SimulatedMarker &>(later).time - time) * 1000;
  }

protected:
  SimulatedDevice &device;
  double time;
};

class SimulatedFence final : public SimulatedMarker {
public:
  using SimulatedMarker::SimulatedMarker;
  bool reached() override {
    Lock lock(simulator().mutex);
    return time <= simulator().now;
  }
};

std::unique_ptr<Marker> SimulatedDevice::mark(StreamId stream) {
  Lock lock(simulator().mutex);
  return std::make_unique<SimulatedMarker>(*this, std::max(endOf(stream), simulator().now));
}
std::unique_ptr<Marker> SimulatedDevice::fence(StreamId stream) {
  Lock lock(simulator().mutex);
  return std::make_unique<SimulatedFence>(*this, endOf(stream));
}

void SimulatedDevice::synchronize() {
  Lock lock(simulator().mutex);
  waitForDevice();
  check();
}

// Host accesses

std::vector<SimulatedDevice *> *guarded;
struct sigaction previousAction;

/// Names the tensor whose memory the host touched, and ends the program. Other faults go where
/// they would have gone.
void onFault(int signal, siginfo_t *info, void *) {
  for (const SimulatedDevice *device : *guarded) {
    if (!device->pages().contains(info->si_addr))
      continue;
    char text[400], size[64] = "";
    if (std::unique_lock lock(simulator().mutex, std::try_to_lock); lock)
      if (const BlockCache::Block *block = device->blocks().find(info->si_addr))
        std::snprintf(size, sizeof size, " of %zu bytes%s", block->requested,
                      block->used ? "" : " (freed)");
    int length = std::snprintf(
        text, sizeof text,
        "gradtidy: the host touched the memory of a tensor%s on cuda:%d, at address %p. The host "
        "cannot reach the memory of a device: make a copy with .to(torch::kCPU) and use that.\n",
        size, device->index, info->si_addr);
    [[maybe_unused]] auto written = write(STDERR_FILENO, text, static_cast<std::size_t>(length));
    std::abort();
  }
  sigaction(signal, &previousAction, nullptr); // the access is repeated when we return
}

void guard(std::vector<SimulatedDevice *> devices) {
  guarded = new std::vector<SimulatedDevice *>(std::move(devices));
  struct sigaction action{};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &previousAction);
}

std::size_t numberFrom(const char *variable, std::size_t otherwise) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return otherwise;
  char *end = nullptr;
  unsigned long long value = std::strtoull(text, &end, 10);
  TORCH_CHECK(*end == '\0' && *text != '-' && value > 0, variable, " is '", text,
              "'; it must be a positive number");
  return value;
}

} // namespace

std::vector<std::unique_ptr<Accelerator>> makeSimulatedDevices() {
  std::size_t count = numberFrom("GRADTIDY_SIM_DEVICES", 2);
  TORCH_CHECK(count <= 16, "GRADTIDY_SIM_DEVICES is ", count, "; there can be at most 16");
  std::size_t capacity = numberFrom("GRADTIDY_SIM_MEMORY", std::size_t{4} << 30);
  std::vector<std::unique_ptr<Accelerator>> devices;
  std::vector<SimulatedDevice *> toGuard;
  for (std::size_t i = 0; i < count; ++i) {
    auto device = std::make_unique<SimulatedDevice>(static_cast<DeviceIndex>(i), capacity);
    toGuard.push_back(device.get());
    devices.push_back(std::move(device));
  }
  guard(std::move(toGuard));
  return devices;
}

bool isSimulated(const Accelerator &device) {
  return dynamic_cast<const SimulatedDevice *>(&device) != nullptr;
}

CudaError simulatedFailure(DeviceIndex device) {
  const auto *simulated = dynamic_cast<const SimulatedDevice *>(&acceleratorOf({kCUDA, device}));
  Lock lock(simulator().mutex);
  return simulated ? simulated->failure : CudaError::Success;
}

void *acquireOfSimulated(Accelerator &device, std::size_t bytes) {
  return dynamic_cast<SimulatedDevice &>(device).acquireForProgram(bytes);
}
bool giveBackToSimulated(Accelerator &device, void *memory) {
  return dynamic_cast<SimulatedDevice &>(device).giveBackOfProgram(memory);
}
std::size_t blockSizeOfSimulated(Accelerator &device, const void *address) {
  return dynamic_cast<SimulatedDevice &>(device).blockSize(address);
}

void launchOnSimulated(Accelerator &device, StreamId stream, Work work,
                       std::function<void()> kernel) {
  dynamic_cast<SimulatedDevice &>(device).launchIn(stream, work, std::move(kernel));
}

double simulatedHostTime() {
  Lock lock(simulator().mutex);
  return simulator().now;
}

} // namespace gradtidy::runtime
