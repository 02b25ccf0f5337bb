// TransferCounter: how often a step of training copies between host and devices, how much, and how
// often the host waits for a device.
//
//   gradtidy::TransferCounter counter;
//   for (auto &batch : *loader) {
//     train(batch);
//     counter.step();
//   }
//   std::cout << counter.text();
//
// Each wait empties the device's queue, after which it idles until the host has launched more. A
// step should have one copy of the batch and no wait; a loss is looked at every so many steps. The
// host waits where it reads a number (item(), is_nonzero(), printing), and for copies between it
// and a device that are not non_blocking. Not seen are calls of synchronize(), and copies that wait
// because their memory on the host is not page-locked. One counter can run at a time.
#pragma once

#include "detail/Listener.h"
#include "detail/Text.h"

#include <torch/torch.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace gradtidy {

/// Copies in one direction.
struct Transfers {
  int64_t count = 0;
  int64_t bytes = 0;
};

struct StepTransfers {
  Transfers toDevice, toHost, betweenDevices;
  int64_t reads = 0; ///< numbers that the host read from a device
  int64_t waits = 0; ///< reads and copies that the host waited for
};

class TransferCounter : detail::Listener<TransferCounter> {
public:
  TransferCounter() { listen("TransferCounter", true, false); }
  ~TransferCounter() { silence(); }

  /// Ends a step and begins the next.
  void step() {
    done.push_back(current);
    current = StepTransfers();
  }

  /// The steps that have ended.
  const std::vector<StepTransfers> &steps() const { return done; }
  /// Since the last step().
  const StepTransfers &sinceStep() const { return current; }

  /// A line for each of the last `most` steps.
  std::string text(std::size_t most = 10) const {
    detail::Table table({"step", "to device", "to host", "between", "reads", "waits"});
    auto cell = [](const Transfers &transfers) {
      return transfers.count == 0 ? "0"
                                  : detail::formatted("%lld (", (long long)transfers.count) +
                                        bytesText(transfers.bytes) + ")";
    };
    for (std::size_t i = done.size() - std::min(most, done.size()); i < done.size(); ++i)
      table.add({std::to_string(i + 1), cell(done[i].toDevice), cell(done[i].toHost),
                 cell(done[i].betweenDevices), std::to_string(done[i].reads),
                 std::to_string(done[i].waits)});
    return table.text();
  }

private:
  friend class detail::Listener<TransferCounter>;

  std::unique_ptr<at::ObserverContext> started(const at::RecordFunction &function) {
    const auto &inputs = function.inputs();
    if (std::strcmp(function.name(), "aten::copy_") == 0 && inputs.size() >= 2)
      countCopy(inputs[0].toTensor(), inputs[1].toTensor(),
                inputs.size() > 2 && inputs[2].isBool() && inputs[2].toBool());
    if (std::strcmp(function.name(), "aten::_local_scalar_dense") == 0 && !inputs.empty() &&
        !inputs[0].toTensor().is_cpu()) {
      ++current.reads;
      ++current.waits;
    }
    return nullptr;
  }
  void ended(const at::RecordFunction &, at::ObserverContext *) {}

  void countCopy(const torch::Tensor &to, const torch::Tensor &from, bool nonBlocking) {
    if (to.device() == from.device())
      return;
    Transfers &transfers = from.is_cpu() ? current.toDevice
                           : to.is_cpu() ? current.toHost
                                         : current.betweenDevices;
    ++transfers.count;
    transfers.bytes += from.numel() * static_cast<int64_t>(from.element_size());
    current.waits += !nonBlocking && (from.is_cpu() || to.is_cpu());
  }

  StepTransfers current;
  std::vector<StepTransfers> done;
};

} // namespace gradtidy
