// Storage: one block of device memory, shared by every tensor that views it.
#pragma once

#include "Driver.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace gradtidy::runtime {

class Backend;

class Storage {
public:
  /// A block of `bytes` from the backend of `device`; the values are not initialised.
  static std::shared_ptr<Storage> allocate(Device device, std::size_t bytes);
  /// Memory owned by somebody else; `release` (may be empty) is called when the last view is gone.
  static std::shared_ptr<Storage> borrow(Device device, void *data, std::size_t bytes,
                                         std::function<void(void *)> release);

  /// Page-locked memory of the host, which devices can copy from and to by themselves.
  static std::shared_ptr<Storage> allocatePinned(std::size_t bytes);

  ~Storage();
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;

  void *data() const { return memory; }
  std::size_t nbytes() const { return bytes; }
  Device device() const { return where; }
  bool isPinned() const { return pinned; }
  /// Tells the memory of a device, or what is page-locked, that work of `stream` uses it: once
  /// released, it is not used again before that work is done.
  void recordStream(StreamKey stream) const;

private:
  Storage(Device device, void *memory, std::size_t bytes, std::function<void(void *)> release);
  /// Memory that was got here, not borrowed.
  static std::shared_ptr<Storage> own(std::shared_ptr<Storage> storage);
  /// Tells an observer (core/MemoryReport.h) that the memory was got or is about to go back.
  void report(bool got) const;

  Device where;
  void *memory;
  std::size_t bytes;
  std::function<void(void *)> release;
  bool pinned = false;
  bool ours = false;
};

} // namespace gradtidy::runtime
