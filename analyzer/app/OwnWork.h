// Limits of what this process does by itself, not its workers: --timeout and --memory-limit hold
// for it, too.
#pragma once

#include <cstdint>

namespace gradtidy {

/// The status with which a worker ends that runs out of memory.
inline constexpr int exitOutOfMemory = 77;

/// From now on this process, with those that it starts, takes at most \p memory bytes of address
/// space (0 for no limit of its own). A process that would take more says so in a line on standard
/// error and ends with \p status, without a backtrace.
/// \p seconds is the time that one part of the work may take; 0 for no limit.
void limitOwnWork(uint64_t memory, unsigned seconds, int status);

/// A worker's lack of memory is told by its parent: it ends with exitOutOfMemory.
void endQuietlyWithoutMemory();

/// Limits the memory of this process: never beyond a limit that it has.
void limitMemory(uint64_t bytes);

/// A part of the work has its own time from here to the end of this object: a process that takes
/// longer says "too slow: PART took more than N s (--timeout)" and ends with the status that
/// limitOwnWork() was given. Not to be nested.
class OwnWork {
public:
  /// \param part as in "reading the compilation database"; a literal.
  explicit OwnWork(const char *part);
  ~OwnWork();
  OwnWork(const OwnWork &) = delete;
  OwnWork &operator=(const OwnWork &) = delete;
};

} // namespace gradtidy
