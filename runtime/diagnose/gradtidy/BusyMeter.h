// BusyMeter: which share of the time a device works, and which it waits for the next batch.
//
//   gradtidy::BusyMeter meter(device);
//   for (auto &batch : *loader) {
//     auto input = batch.data.to(device);
//     meter.work(); // the batch is there
//     train(input);
//     meter.step(); // all work of this step is queued
//   }
//   std::cout << meter.text();
//
// Both calls put an event into the current stream, and nobody waits: what the device has still to
// do when a batch comes late hides the loader, as it should. Between the end of a step's work and
// the beginning of the next, the device idles. Less than 80 % busy suggests the loader: more
// workers, page-locked memory, the next batch copied meanwhile; where loading is free, kernels too
// small. On the host the same is measured by the time of day.
#pragma once

#include "detail/Moment.h"
#include "detail/Text.h"

#include <torch/torch.h>

#include <deque>
#include <string>
#include <utility>

namespace gradtidy {

class BusyMeter {
public:
  /// `enough` is the share from which on text() is content.
  explicit BusyMeter(c10::Device device, double enough = 0.8) : device(device), enough(enough) {}

  void work() {
    TORCH_CHECK(!working, "BusyMeter: work() was called twice without step()");
    working = true;
    moments.emplace_back(device);
  }

  void step() {
    TORCH_CHECK(working, "BusyMeter: step() was called without work()");
    working = false;
    moments.emplace_back(device);
    ++count;
    while (moments.size() > 64) // by now they have long passed
      measureFirst();
  }

  /// From 0 to 1; the host waits for the last step. 1 before the first step.
  double busy() {
    while (moments.size() > 1)
      measureFirst();
    return workTime + waitTime > 0 ? workTime / (workTime + waitTime) : 1;
  }
  /// Milliseconds, after busy().
  double worked() const { return workTime; }
  double waited() const { return waitTime; }

  std::string text() {
    const double share = busy();
    return detail::formatted("%s busy %.0f %%: worked %.3f ms, waited %.3f ms in %lld steps",
                             device.str().c_str(), 100 * share, workTime, waitTime,
                             (long long)count) +
           (share < enough ? ": the loader is too slow\n" : "\n");
  }

private:
  /// Moments come in turn: beginning of work, end of work.
  void measureFirst() {
    const double milliseconds = moments[0].to(moments[1]);
    (std::exchange(firstIsBeginning, !firstIsBeginning) ? workTime : waitTime) += milliseconds;
    moments.pop_front();
  }

  c10::Device device;
  double enough;
  std::deque<detail::Moment> moments;
  bool working = false, firstIsBeginning = true;
  double workTime = 0, waitTime = 0;
  int64_t count = 0;
};

} // namespace gradtidy
