// Accelerators for programs: how many there are, current devices and streams, events, statistics.
//
// Which ones there are is said by the environment variable GRADTIDY_DEVICE: "cpu" (none, the
// default), "sim" (simulated ones, backends/sim) or "cuda" (the machine's, where the runtime was
// built for them). The current device and the current stream of each device belong to the thread.
#pragma once

#include "BlockCache.h"
#include "Device.h"

#include <memory>
#include <optional>

struct CUstream_st;

namespace gradtidy::runtime {

class Marker;
class Tensor;

namespace cuda {

bool is_available();
std::size_t device_count();
/// Seeds the generator of the current device, or of all.
void manual_seed(uint64_t seed);
void manual_seed_all(uint64_t seed);
/// Waits for all work of a device, the current one by default.
void synchronize(int64_t device = -1);
inline void device_synchronize() { synchronize(); }

DeviceIndex current_device();
void set_device(DeviceIndex device);

/// A queue of work: its kernels run in order, those of other streams when they like.
class CUDAStream {
public:
  CUDAStream(DeviceIndex device, StreamId number) : where(device), number(number) {}

  StreamId id() const { return number; }
  DeviceIndex device_index() const { return where; }
  Device device() const { return {kCUDA, where}; }
  StreamKey key() const { return {where, number}; }
  /// What CUDA knows it by, a cudaStream_t: null for the default one.
  CUstream_st *stream() const;
  operator CUstream_st *() const { return stream(); }
  /// Whether all its work is done.
  bool query() const;
  /// Waits for all its work.
  void synchronize() const;
  bool operator==(const CUDAStream &other) const = default;

private:
  DeviceIndex where;
  StreamId number;
};

CUDAStream getCurrentCUDAStream(DeviceIndex device = -1);
CUDAStream getDefaultCUDAStream(DeviceIndex device = -1);
/// Another stream than the default one; after 32 they come again.
CUDAStream getStreamFromPool(bool highPriority = false, DeviceIndex device = -1);
void setCurrentCUDAStream(CUDAStream stream);

/// Makes a device current in its scope.
class CUDAGuard {
public:
  explicit CUDAGuard(DeviceIndex device) : before(cuda::current_device()) { set_index(device); }
  explicit CUDAGuard(Device device) : CUDAGuard(device.index()) {}
  ~CUDAGuard() { set_device(before); }
  CUDAGuard(const CUDAGuard &) = delete;
  CUDAGuard &operator=(const CUDAGuard &) = delete;

  void set_index(DeviceIndex device) { cuda::set_device(device); }
  Device original_device() const { return {kCUDA, before}; }
  Device current_device() const { return {kCUDA, cuda::current_device()}; }

private:
  DeviceIndex before;
};

/// The same where there is a device, other than the CPU.
class OptionalCUDAGuard {
public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<Device> device) {
    if (device && device->is_cuda())
      guard.emplace(*device);
  }
  OptionalCUDAGuard(const OptionalCUDAGuard &) = delete;
  OptionalCUDAGuard &operator=(const OptionalCUDAGuard &) = delete;

private:
  std::optional<CUDAGuard> guard;
};

/// Makes a stream and its device current in its scope.
class CUDAStreamGuard {
public:
  explicit CUDAStreamGuard(CUDAStream stream)
      : device(stream.device_index()), before(getCurrentCUDAStream(stream.device_index())) {
    setCurrentCUDAStream(stream);
  }
  ~CUDAStreamGuard() { setCurrentCUDAStream(before); }
  CUDAStreamGuard(const CUDAStreamGuard &) = delete;
  CUDAStreamGuard &operator=(const CUDAStreamGuard &) = delete;

  CUDAStream original_stream() const { return before; }

private:
  CUDAGuard device;
  CUDAStream before;
};

/// A moment in a stream: the end of the work that was queued when record() was called.
class CUDAEvent {
public:
  /// Without time unless `flags` is cudaEventDefault.
  CUDAEvent();
  CUDAEvent(unsigned flags);
  CUDAEvent(CUDAEvent &&) noexcept;
  CUDAEvent &operator=(CUDAEvent &&) noexcept;
  ~CUDAEvent();

  bool isCreated() const { return marker != nullptr; }
  DeviceIndex device_index() const { return where; }
  void record() { record(getCurrentCUDAStream()); }
  void record(const CUDAStream &stream);
  /// Lets later work of `stream` wait for this moment.
  void block(const CUDAStream &stream);
  /// Whether the moment has come; true where nothing was recorded.
  bool query() const;
  void synchronize() const;
  /// Milliseconds from this moment to `other`. Throws unless both have come and have time.
  float elapsed_time(const CUDAEvent &other) const;

private:
  unsigned flags;
  DeviceIndex where = -1;
  std::unique_ptr<Marker> marker;
};

/// Throws LibTorch's words for an error of CUDA, a cudaError_t, unless it is success.
void checkError(int error);

namespace CUDACachingAllocator {

using CachingAllocator::Stat;
using CachingAllocator::StatType;
using CachingDeviceAllocator::DeviceStats;

/// The segments of all devices.
struct SnapshotInfo {
  std::vector<CachingDeviceAllocator::SegmentInfo> segments;
};

DeviceStats getDeviceStats(DeviceIndex device);
void resetPeakStats(DeviceIndex device);
void resetAccumulatedStats(DeviceIndex device);
SnapshotInfo snapshot();
/// Gives memory that no tensor uses back to the devices.
void emptyCache();

} // namespace CUDACachingAllocator
} // namespace cuda

/// The device of a tensor; none of one that is undefined.
std::optional<Device> device_of(const Tensor &tensor);

enum class EventFlag { PYTORCH_DEFAULT, BACKEND_DEFAULT, INVALID };

/// An event of any kind of device, so of CUDA's; with time where the flag is BACKEND_DEFAULT.
class Event {
public:
  explicit Event(DeviceType, EventFlag flag = EventFlag::PYTORCH_DEFAULT)
      : event(flag == EventFlag::BACKEND_DEFAULT ? 0U : 2U) {}

  void record(const cuda::CUDAStream &stream) { event.record(stream); }
  void block(const cuda::CUDAStream &stream) { event.block(stream); }
  bool query() const { return event.query(); }
  void synchronize() const { event.synchronize(); }
  double elapsedTime(const Event &other) const { return event.elapsed_time(other.event); }

private:
  cuda::CUDAEvent event;
};

namespace impl {

struct VirtualGuardImpl {
  explicit VirtualGuardImpl(DeviceType) {}
  cuda::CUDAStream getStream(Device device) const {
    return cuda::getCurrentCUDAStream(device.index());
  }
};

} // namespace impl

/// Raised where a device has not enough memory.
class OutOfMemoryError : public Error {
  using Error::Error;
};

} // namespace gradtidy::runtime
