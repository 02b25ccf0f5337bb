// memory_summary: the statistics of a device's caching allocator as a table, as
// torch.cuda.memory_summary of Python prints them, which LibTorch does not have in C++. For
// LibTorch with CUDA and for the bundled runtime.
#pragma once

#include "MemoryTracker.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <cstdio>
#include <string>

namespace gradtidy {

/// The statistics of `device`, of the current one by default. Throws where there is none.
inline std::string memory_summary(c10::Device device = torch::kCUDA) {
  if (!device.has_index())
    device = torch::empty({0}, device).device();
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
  char line[128];
  std::snprintf(line, sizeof line,
                "CUDA memory of device %d: %lld times out of memory, %lld retries\n",
                static_cast<int>(device.index()), static_cast<long long>(stats.num_ooms),
                static_cast<long long>(stats.num_alloc_retries));
  std::string text = line;
  auto add = [&](const std::string &name, const std::string &current, const std::string &peak,
                 const std::string &got, const std::string &freed) {
    std::snprintf(line, sizeof line, "%-22s %12s %12s %12s %12s\n", name.c_str(), current.c_str(),
                  peak.c_str(), got.c_str(), freed.c_str());
    text += line;
  };
  add("Metric", "Cur Usage", "Peak Usage", "Tot Alloc", "Tot Freed");
  const char *const pools[] = {"", "  from small pool", "  from large pool"};
  auto rows = [&](const char *name, const auto &stat, auto format) {
    for (std::size_t pool = 0; pool < 3; ++pool)
      add(pool == 0 ? name : pools[pool], format(stat[pool].current), format(stat[pool].peak),
          format(stat[pool].allocated), format(stat[pool].freed));
  };
  auto count = [](int64_t number) { return std::to_string(number); };
  rows("Allocated memory", stats.allocated_bytes, bytesText);
  rows("Requested memory", stats.requested_bytes, bytesText);
  rows("GPU reserved memory", stats.reserved_bytes, bytesText);
  rows("Allocations", stats.allocation, count);
  rows("GPU reserved segments", stats.segment, count);
  return text;
}

} // namespace gradtidy
