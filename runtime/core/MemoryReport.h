// MemoryReport: tells an observer of a thread of every block of memory that tensors get and give
// back there, under LibTorch's names.
//
//   c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, observer);
//
// where `observer` is a shared_ptr to a MemoryReportingInfoBase. The innermost guard of a thread
// counts.
#pragma once

#include "Device.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gradtidy::runtime {

enum class DebugInfoKind : uint8_t { PROFILER_STATE };

class DebugInfoBase {
public:
  virtual ~DebugInfoBase() = default;
};

struct ThreadLocalDebugInfo {
  /// What the innermost guard of this thread has set, or null.
  static DebugInfoBase *get(DebugInfoKind kind);
};

/// Sets the information of this thread and restores the former one at the end of its scope.
class DebugInfoGuard {
public:
  DebugInfoGuard(DebugInfoKind kind, std::shared_ptr<DebugInfoBase> info);
  ~DebugInfoGuard();
  DebugInfoGuard(const DebugInfoGuard &) = delete;
  DebugInfoGuard &operator=(const DebugInfoGuard &) = delete;

private:
  std::shared_ptr<DebugInfoBase> own;
  DebugInfoBase *before;
};

class MemoryReportingInfoBase : public DebugInfoBase {
public:
  /// `size` bytes were got at `memory`, or given back where it is negative. `allocated` and
  /// `reserved` are what the device has in use and in its cache after that.
  virtual void reportMemoryUsage(void *memory, int64_t size, std::size_t allocated,
                                 std::size_t reserved, Device device) = 0;
  virtual bool memoryProfilingEnabled() const = 0;
};

/// Whether this thread has an observer that wants reports.
bool memoryProfilingEnabled();
void reportMemoryUsageToProfiler(void *memory, int64_t size, std::size_t allocated,
                                 std::size_t reserved, Device device);

} // namespace gradtidy::runtime
