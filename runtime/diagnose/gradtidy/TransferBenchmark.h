// benchmarkTransfers: how fast copies between host and device are, from ordinary (pageable) and
// from page-locked memory.
//
//   auto results = gradtidy::benchmarkTransfers(torch::Device(torch::kCUDA, 0));
//   std::cout << gradtidy::transferTable(results);
//   gradtidy::writeFile("transfers.svg", gradtidy::transferPlot(results));
//
// Sizes are 1 MB, 10 MB, 100 MB and 1 GB, from where each copy's fixed cost counts to where it does
// not. Each is copied once to warm up and then five times; the median counts, since other programs
// disturb single copies. Times are those of the device's events, bandwidth is in 10^9 bytes a
// second. Needs twice the largest size on the host and once on the device. On the host as `device`,
// copies within its memory are measured.
#pragma once

#include "detail/Moment.h"
#include "detail/Plot.h"
#include "detail/Tensors.h"
#include "detail/Text.h"

#include <torch/torch.h>

#include <string>
#include <vector>

namespace gradtidy {

struct TransferOptions {
  std::vector<int64_t> sizes = {1000000, 10000000, 100000000, 1000000000}; ///< bytes
  int repetitions = 5;
};

struct TransferResult {
  int64_t bytes;
  bool pinned;   ///< page-locked on the host
  bool toDevice; ///< else to the host
  double milliseconds;

  double gigabytesPerSecond() const { return static_cast<double>(bytes) / milliseconds / 1e6; }
  std::string name() const {
    return std::string(pinned ? "pinned" : "pageable") + (toDevice ? " to device" : " to host");
  }
};

namespace detail {

/// The median of several copies, in milliseconds.
inline double timeOfCopy(const torch::Tensor &to, const torch::Tensor &from, c10::Device device,
                         int repetitions) {
  to.copy_(from);
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const Moment begin(device);
    to.copy_(from, /*non_blocking=*/true);
    const Moment end(device);
    times.push_back(begin.to(end));
  }
  return medianOf(times);
}

} // namespace detail

/// By kind of memory and direction, then by size.
inline std::vector<TransferResult> benchmarkTransfers(c10::Device device,
                                                      const TransferOptions &options = {}) {
  TORCH_CHECK(options.repetitions > 0, "benchmarkTransfers: at least one repetition is needed");
  std::vector<TransferResult> results;
  for (const bool pinned : {false, true}) {
    if (pinned && device.is_cpu())
      continue;
    for (const bool toDevice : {true, false})
      for (const int64_t bytes : options.sizes) {
        torch::Tensor host = torch::zeros({bytes}, torch::kByte);
        if (pinned)
          host = host.pin_memory();
        const torch::Tensor there =
            torch::zeros({bytes}, torch::dtype(torch::kByte).device(device));
        results.push_back({bytes, pinned, toDevice,
                           detail::timeOfCopy(toDevice ? there : host, toDevice ? host : there,
                                              device, options.repetitions)});
      }
  }
  return results;
}

inline std::string transferTable(const std::vector<TransferResult> &results) {
  detail::Table table({"copy", "MB", "ms", "GB/s"});
  for (const TransferResult &result : results)
    table.add({result.name(), detail::formatted("%g", static_cast<double>(result.bytes) / 1e6),
               detail::formatted("%.3f", result.milliseconds),
               detail::formatted("%.2f", result.gigabytesPerSecond())});
  return table.text();
}

/// Bandwidth over size, a line for each kind of memory and direction, as SVG.
inline std::string transferPlot(const std::vector<TransferResult> &results) {
  std::vector<PlotLine> lines;
  for (const TransferResult &result : results) {
    if (lines.empty() || lines.back().name != result.name())
      lines.push_back({result.name(), {}});
    lines.back().points.emplace_back(static_cast<double>(result.bytes) / 1e6,
                                     result.gigabytesPerSecond());
  }
  PlotOptions options;
  options.title = "Copies between host and device";
  options.x = "MB";
  options.y = "GB/s";
  options.logarithmicX = true;
  return linePlot(options, lines);
}

} // namespace gradtidy
