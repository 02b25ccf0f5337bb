#include "Storage.h"
#include "Backend.h"
#include "MemoryReport.h"
#include "PinnedMemory.h"

#include <utility>

namespace gradtidy::runtime {

Storage::Storage(Device device, void *memory, std::size_t bytes,
                 std::function<void(void *)> release)
    : where(device), memory(memory), bytes(bytes), release(std::move(release)) {}

std::shared_ptr<Storage> Storage::allocate(Device device, std::size_t bytes) {
  Backend &backend = backendOf(device);
  return own(borrow(device, backend.allocate(bytes), bytes,
                    [&backend](void *memory) { backend.release(memory); }));
}

std::shared_ptr<Storage> Storage::allocatePinned(std::size_t bytes) {
  PinnedMemory &host = PinnedMemory::instance();
  auto storage =
      borrow(kCPU, host.allocate(bytes), bytes, [&host](void *memory) { host.release(memory); });
  storage->pinned = true;
  return own(std::move(storage));
}

std::shared_ptr<Storage> Storage::own(std::shared_ptr<Storage> storage) {
  storage->ours = true;
  if (memoryProfilingEnabled())
    storage->report(true);
  return storage;
}

std::shared_ptr<Storage> Storage::borrow(Device device, void *data, std::size_t bytes,
                                         std::function<void(void *)> release) {
  return std::shared_ptr<Storage>(new Storage(device, data, bytes, std::move(release)));
}

Storage::~Storage() {
  if (ours && memoryProfilingEnabled())
    report(false);
  if (release)
    release(memory);
}

void Storage::recordStream(StreamKey stream) const {
  if (pinned)
    PinnedMemory::instance().recordStream(memory, stream);
  else if (!where.is_cpu())
    acceleratorOf(where).memory([&](BlockCache &cache) { cache.recordStream(memory, stream); });
}

void Storage::report(bool got) const {
  // What a device takes for a tensor is more than its size, and what it has in use is known.
  std::size_t taken = bytes, allocated = 0, reserved = 0;
  if (!where.is_cpu())
    acceleratorOf(where).memory([&](const BlockCache &cache) {
      taken = cache.find(memory)->size;
      allocated = static_cast<std::size_t>(cache.stats.allocated_bytes[0].current);
      reserved = static_cast<std::size_t>(cache.stats.reserved_bytes[0].current);
    });
  auto size = static_cast<int64_t>(taken);
  reportMemoryUsageToProfiler(memory, got ? size : -size, got ? allocated : allocated - taken,
                              reserved, where);
}

} // namespace gradtidy::runtime
