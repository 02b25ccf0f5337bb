// PinnedMemory: page-locked memory of the host, kept for reuse like that of devices.
//
// Its home is the host, which is through with a block as soon as it releases it; copies that nobody
// waited for are recorded by their streams.
#pragma once

#include "BlockCache.h"

#include <mutex>

namespace gradtidy::runtime {

class PinnedMemory final : MemoryDriver {
public:
  static PinnedMemory &instance();

  /// Throws OutOfMemoryError where there is not enough.
  void *allocate(std::size_t bytes);
  void release(void *memory);
  /// Whether there is a block in use at this address.
  bool owns(const void *memory);
  /// Work of `stream` uses the block at this address.
  void recordStream(void *memory, StreamKey stream);

private:
  void *acquire(std::size_t bytes) override;
  void giveBack(void *segment, std::size_t bytes) override;
  bool waitForDevice() override { return true; } // a block is free when all copies are done
  std::unique_ptr<Marker> mark(StreamKey stream) override;

  std::mutex mutex;
  BlockCache cache{*this};
};

} // namespace gradtidy::runtime
