// Moment: now, on the clock of a device.
//
// On an accelerator it is an event in the current stream, so that the work queued before it is in
// the time and nobody waits; on a simulated device that is the simulator's clock. On the host it is
// the time of day. Needs c10::Event::elapsedTime, which LibTorch has since 2.4.
#pragma once

#include <torch/torch.h>

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>
#include <optional>

namespace gradtidy::detail {

class Moment {
public:
  explicit Moment(c10::Device device) : host(std::chrono::steady_clock::now()) {
    if (device.is_cpu())
      return;
    event.emplace(device.type(), c10::EventFlag::BACKEND_DEFAULT);
    event->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  }

  /// Milliseconds; the host waits for both moments.
  double to(const Moment &later) const {
    if (!event)
      return std::chrono::duration<double, std::milli>(later.host - host).count();
    event->synchronize();
    later.event->synchronize();
    return event->elapsedTime(*later.event);
  }

private:
  std::chrono::steady_clock::time_point host;
  std::optional<c10::Event> event;
};

} // namespace gradtidy::detail
