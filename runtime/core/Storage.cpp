#include "Storage.h"
#include "Backend.h"

#include <utility>

namespace gradtidy::runtime {

Storage::Storage(Device device, void *memory, std::size_t bytes,
                 std::function<void(void *)> release)
    : where(device), memory(memory), bytes(bytes), release(std::move(release)) {}

std::shared_ptr<Storage> Storage::allocate(Device device, std::size_t bytes) {
  Backend &backend = backendOf(device);
  void *memory = backend.allocate(bytes);
  return std::shared_ptr<Storage>(
      new Storage(device, memory, bytes, [&backend](void *p) { backend.release(p); }));
}

std::shared_ptr<Storage> Storage::allocatePinned(std::size_t bytes) {
  auto storage = allocate(kCPU, bytes);
  storage->pinned = true;
  return storage;
}

std::shared_ptr<Storage> Storage::borrow(Device device, void *data, std::size_t bytes,
                                         std::function<void(void *)> release) {
  return std::shared_ptr<Storage>(new Storage(device, data, bytes, std::move(release)));
}

Storage::~Storage() {
  if (release)
    release(memory);
}

} // namespace gradtidy::runtime
