// How operations take part in autocast. For the runtime's own code.
//
//   if (Casting cast = autocast::lower(a))
//     return mm(cast(a), cast(b));
#pragma once

#include "Autocast.h"

namespace gradtidy::runtime::autocast {

/// Sets of device types have one bit for each.
constexpr unsigned bitOf(DeviceType device) { return 1u << static_cast<unsigned>(device); }
constexpr unsigned onHost = bitOf(kCPU), onCuda = bitOf(kCUDA);

/// Where autocast is on.
inline constinit thread_local unsigned enabledDevices = 0;

/// Casts the arguments of an operation where autocast is on, which is off as long as this lives.
class Casting {
public:
  explicit operator bool() const { return before != 0; }
  Tensor operator()(const Tensor &x) const { return *this ? cached_cast(type, x, device) : x; }
  ~Casting() {
    if (before != 0)
      enabledDevices = before;
  }
  Casting(const Casting &) = delete;
  Casting &operator=(const Casting &) = delete;

private:
  friend Casting lower(const Tensor &, unsigned);
  friend Casting widen(const Tensor &, unsigned);
  Casting() = default;
  Casting(DeviceType device, bool wide)
      : before(enabledDevices), device(device), type(wide ? kFloat : get_autocast_dtype(device)) {
    enabledDevices &= ~bitOf(device);
  }

  unsigned before = 0;
  DeviceType device = kCPU;
  ScalarType type = kFloat;
};

inline bool concerns(const Tensor &x, unsigned devices) {
  return enabledDevices != 0 && x.defined() &&
         (enabledDevices & devices & bitOf(x.device().type())) != 0;
}

// `devices` are those on whose list the operation is, `x` says where it takes place.

/// For operations that compute in 16 bits.
inline Casting lower(const Tensor &x, unsigned devices = onHost | onCuda) {
  return concerns(x, devices) ? Casting(x.device().type(), false) : Casting();
}
/// For those that compute in float32.
inline Casting widen(const Tensor &x, unsigned devices = onHost | onCuda) {
  return concerns(x, devices) ? Casting(x.device().type(), true) : Casting();
}

} // namespace gradtidy::runtime::autocast

namespace gradtidy::runtime {
using autocast::Casting;
}
