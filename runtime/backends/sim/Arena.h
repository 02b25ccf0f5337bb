// Arena: memory that kernels can reach and the host cannot.
//
// Each byte has two addresses: the one that programs see, whose page cannot be touched, and the
// one by which kernels reach it. So a host access is a fault at any time, also while kernels run.
#pragma once

#include "../../core/BlockCache.h"

#include <map>

namespace gradtidy::runtime {

class Arena {
public:
  /// Throws where the machine has no room for the addresses.
  explicit Arena(std::size_t capacity);
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Null where less than `bytes` are free.
  void *acquire(std::size_t bytes);
  void giveBack(void *segment, std::size_t bytes);
  /// The address by which kernels reach `memory`.
  void *reach(void *memory) const { return static_cast<char *>(memory) - seen + reached; }
  bool contains(const void *address) const { return address >= seen && address < seen + span; }

  const std::size_t capacity;
  std::size_t used = 0;

private:
  std::size_t span;
  char *seen;
  char *reached;
  /// Unused addresses: offset and length.
  std::map<std::size_t, std::size_t> gaps;
};

} // namespace gradtidy::runtime
