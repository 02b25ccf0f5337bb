// MemoryTracker: how much memory tensors take in a scope, on the host and on every device, and what
// took it. It listens to the reports of the allocators, so it works with LibTorch and with the
// bundled runtime.
//
//   gradtidy::MemoryTracker memory;
//   loss = model->forward(x).sum();
//   std::cout << memory.summary() << memory.peak() << " bytes of the host at most\n";
//
// Counted is what the thread of the tracker gets and gives back, and backward on its behalf. Scopes
// may be nested: each sees what happens in it. On a device the caching allocator's blocks count,
// which are larger than the tensors. LibTorch does not report when memory of the host goes back
// that was there before the scope; the runtime does.
#pragma once

#include "detail/Text.h"

#include <torch/torch.h>

#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace gradtidy {

/// Bytes of one device, relative to the start of the scope.
struct MemoryUse {
  int64_t current = 0;   ///< got minus given back
  int64_t peak = 0;      ///< the largest `current` so far
  int64_t allocated = 0; ///< got in all
  int64_t freed = 0;     ///< given back in all
  int64_t blocks = 0;    ///< how often memory was got
};

/// A block that was got, or given back where `bytes` is negative.
struct MemoryEvent {
  double time; ///< microseconds since the start of the scope
  c10::Device device;
  const void *address;
  int64_t bytes;
  int64_t current;       ///< bytes in use on the device after it
  std::string operation; ///< in which it happened, empty outside of all
};

struct MemoryTrackerOptions {
  bool history = false; ///< whether every single block is remembered
};

class MemoryTracker {
public:
  explicit MemoryTracker(MemoryTrackerOptions options = {})
      : ledger(std::make_shared<Ledger>(options.history)),
        guard(c10::DebugInfoKind::PROFILER_STATE, ledger) {
    if (options.history)
      callback = at::addThreadLocalCallback(at::RecordFunctionCallback(onStart, onEnd));
  }
  /// On the thread that made it.
  ~MemoryTracker() {
    if (callback)
      at::removeCallback(callback);
  }
  MemoryTracker(const MemoryTracker &) = delete;
  MemoryTracker &operator=(const MemoryTracker &) = delete;

  MemoryUse use(c10::Device device = torch::kCPU) const {
    std::lock_guard<std::mutex> lock(ledger->mutex);
    auto found = ledger->uses.find(keyOf(device));
    return found == ledger->uses.end() ? MemoryUse() : found->second;
  }
  /// How much more is in use than at the start of the scope.
  int64_t delta(c10::Device device = torch::kCPU) const { return use(device).current; }
  /// How much more was in use, at most.
  int64_t peak(c10::Device device = torch::kCPU) const { return use(device).peak; }

  /// Lets the peak start anew from what is in use now.
  void reset_peak() {
    std::lock_guard<std::mutex> lock(ledger->mutex);
    for (auto &entry : ledger->uses)
      entry.second.peak = entry.second.current;
  }

  /// One line for each device.
  std::string summary() const {
    std::lock_guard<std::mutex> lock(ledger->mutex);
    std::string text = "Device       In use         Peak          Got   Given back    Blocks\n";
    for (const auto &entry : ledger->uses) {
      const MemoryUse &use = entry.second;
      char line[128];
      std::snprintf(line, sizeof line, "%-6s %12s %12s %12s %12s %9lld\n",
                    nameOf(entry.first).c_str(), bytesText(use.current).c_str(),
                    bytesText(use.peak).c_str(), bytesText(use.allocated).c_str(),
                    bytesText(use.freed).c_str(), static_cast<long long>(use.blocks));
      text += line;
    }
    return text;
  }

  /// What happened so far; empty unless asked for.
  std::vector<MemoryEvent> history() const {
    std::lock_guard<std::mutex> lock(ledger->mutex);
    return ledger->events;
  }

  /// The history as a table of tab-separated values with a head line.
  void write_history(std::ostream &out) const {
    out << "microseconds\tdevice\taddress\tbytes\tcurrent\toperation\n";
    for (const MemoryEvent &event : history())
      out << event.time << '\t' << event.device << '\t' << event.address << '\t' << event.bytes
          << '\t' << event.current << '\t' << event.operation << '\n';
  }

private:
  using Key = std::pair<c10::DeviceType, int>;
  using Clock = std::chrono::steady_clock;

  static Key keyOf(c10::Device device) {
    TORCH_CHECK(device.is_cpu() || device.has_index(),
                "a memory tracker must be told which device, for example "
                "torch::Device(torch::kCUDA, 0)");
    return {device.type(), device.index()};
  }
  static std::string nameOf(const Key &key) {
    return c10::Device(key.first, static_cast<c10::DeviceIndex>(key.second)).str();
  }

  struct Ledger : c10::MemoryReportingInfoBase {
    explicit Ledger(bool keepEvents)
        : keepEvents(keepEvents),
          outer(dynamic_cast<c10::MemoryReportingInfoBase *>(
              c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE))) {}

    bool memoryProfilingEnabled() const override { return true; }

    void reportMemoryUsage(void *memory, int64_t bytes, std::size_t allocated, std::size_t reserved,
                           c10::Device device) override {
      if (outer && outer->memoryProfilingEnabled())
        outer->reportMemoryUsage(memory, bytes, allocated, reserved, device);
      std::lock_guard<std::mutex> lock(mutex);
      MemoryUse &use = uses[keyOf(device)];
      use.current += bytes;
      use.peak = std::max(use.peak, use.current);
      (bytes > 0 ? use.allocated : use.freed) += std::abs(bytes);
      use.blocks += bytes > 0;
      if (keepEvents)
        events.push_back({std::chrono::duration<double, std::micro>(Clock::now() - begin).count(),
                          device, memory, bytes, use.current,
                          operations().empty() ? "" : operations().back()});
    }

    bool keepEvents;
    c10::MemoryReportingInfoBase *outer; ///< of a scope around this one
    Clock::time_point begin = Clock::now();
    std::mutex mutex;
    std::map<Key, MemoryUse> uses;
    std::vector<MemoryEvent> events;
  };

  /// The open operations of this thread.
  static std::vector<std::string> &operations() {
    static thread_local std::vector<std::string> names;
    return names;
  }
  static std::unique_ptr<at::ObserverContext> onStart(const at::RecordFunction &function) {
    operations().emplace_back(function.name());
    return nullptr;
  }
  static void onEnd(const at::RecordFunction &, at::ObserverContext *) { operations().pop_back(); }

  std::shared_ptr<Ledger> ledger;
  c10::DebugInfoGuard guard;
  at::CallbackHandle callback{};
};

} // namespace gradtidy
