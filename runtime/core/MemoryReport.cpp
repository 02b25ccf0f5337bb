#include "MemoryReport.h"

#include <utility>

namespace gradtidy::runtime {
namespace {

thread_local DebugInfoBase *profilerState = nullptr;

MemoryReportingInfoBase *observer() {
  auto *reporting = dynamic_cast<MemoryReportingInfoBase *>(profilerState);
  return reporting && reporting->memoryProfilingEnabled() ? reporting : nullptr;
}

} // namespace

DebugInfoBase *ThreadLocalDebugInfo::get(DebugInfoKind) { return profilerState; }

DebugInfoGuard::DebugInfoGuard(DebugInfoKind, std::shared_ptr<DebugInfoBase> info)
    : own(std::move(info)), before(std::exchange(profilerState, own.get())) {}

DebugInfoGuard::~DebugInfoGuard() { profilerState = before; }

bool memoryProfilingEnabled() { return observer() != nullptr; }

void reportMemoryUsageToProfiler(void *memory, int64_t size, std::size_t allocated,
                                 std::size_t reserved, Device device) {
  if (auto *reporting = observer())
    reporting->reportMemoryUsage(memory, size, allocated, reserved, device);
}

} // namespace gradtidy::runtime
