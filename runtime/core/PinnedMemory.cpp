#include "PinnedMemory.h"
#include "Backend.h"
#include "Cuda.h"

namespace gradtidy::runtime {
namespace {

constexpr StreamKey host{-1, 0};

/// The driver locks pages for all devices, whichever asks.
Accelerator &anyDevice() { return acceleratorOf({kCUDA, 0}); }

} // namespace

PinnedMemory &PinnedMemory::instance() {
  static auto *memory = new PinnedMemory; // tensors may outlive every other static object
  return *memory;
}

void *PinnedMemory::allocate(std::size_t bytes) {
  std::lock_guard lock(mutex);
  void *memory = cache.allocate(bytes, host);
  if (!memory)
    throw OutOfMemoryError(concat("cannot get ", bytes, " bytes of page-locked memory"));
  return memory;
}

void PinnedMemory::release(void *memory) {
  std::lock_guard lock(mutex);
  cache.release(memory);
}

bool PinnedMemory::owns(const void *memory) {
  std::lock_guard lock(mutex);
  const BlockCache::Block *block = cache.find(memory);
  return block && block->used;
}

void PinnedMemory::recordStream(void *memory, StreamKey stream) {
  std::lock_guard lock(mutex);
  cache.recordStream(memory, stream);
}

void *PinnedMemory::acquire(std::size_t bytes) { return anyDevice().acquirePinned(bytes); }
void PinnedMemory::giveBack(void *segment, std::size_t) { anyDevice().giveBackPinned(segment); }
std::unique_ptr<Marker> PinnedMemory::mark(StreamKey stream) {
  return acceleratorOf({kCUDA, stream.device}).fence(stream.stream);
}

} // namespace gradtidy::runtime
