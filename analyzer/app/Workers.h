// Work spread over processes, so that what goes wrong with one item concerns that item alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace gradtidy {

struct WorkerLimits {
  unsigned processes = 1;
  std::chrono::seconds time{0}; ///< For one item; 0 for none.
  uint64_t memory = 0;          ///< Of one process, in bytes of address space; 0 for none.
};

/// How the work on an item ended.
enum class Ending {
  Done,
  Crashed,
  OutOfTime,
  OutOfMemory,
};

struct WorkerHooks {
  /// Runs in a worker process; what it returns is sent back.
  std::function<std::string(size_t item)> work;
  /// Runs in this process for every item once, in the order in which they end. Says whether the
  /// worker may go on with other items.
  std::function<bool(size_t item, Ending ending, std::string result)> done;
};

/// Works on the items 0 to \p count - 1, handed out in this order. A worker is a copy of this
/// process, which therefore must have a single thread; one that ends before its item is replaced.
/// Returns the signal (SIGINT, SIGTERM) that ended the run early, else 0. No worker is left then.
int runWorkers(size_t count, const WorkerLimits &limits, const WorkerHooks &hooks);

} // namespace gradtidy
