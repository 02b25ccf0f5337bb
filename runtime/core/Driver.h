// Driver: what a cache of memory (core/BlockCache.h) asks of a device's driver. There is one for
// each kind of device, and one that tests control (tests/runtime/FakeDriver.h).
#pragma once

#include "Device.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gradtidy::runtime {

using StreamId = int64_t;

/// A stream among those of all devices.
struct StreamKey {
  DeviceIndex device;
  StreamId stream;
  auto operator<=>(const StreamKey &other) const = default;
};

/// A moment in the course of a stream: reached when all work queued before it is done.
class Marker {
public:
  virtual ~Marker() = default;
  virtual bool reached() = 0;
  /// Lets the host wait.
  virtual void wait() = 0;
  /// Lets the later work of a stream of any device wait.
  virtual void block(DeviceIndex device, StreamId stream) = 0;
  /// Milliseconds from this moment to `later`, both of which have been reached.
  virtual double millisecondsTo(Marker &later) = 0;
};

/// Where a cache gets its segments, and learns what streams are through with.
class MemoryDriver {
public:
  virtual ~MemoryDriver() = default;
  /// Null where there is not enough.
  virtual void *acquire(std::size_t bytes) = 0;
  /// No device works on the segment any more.
  virtual void giveBack(void *segment, std::size_t bytes) = 0;
  /// Lets the host wait for all work on segments. False, at once, where it cannot now: then no
  /// segment goes back.
  virtual bool waitForDevice() = 0;
  /// The end of the work that the stream has been given so far. Throws where there is none.
  virtual std::unique_ptr<Marker> mark(StreamKey stream) = 0;
};

} // namespace gradtidy::runtime
