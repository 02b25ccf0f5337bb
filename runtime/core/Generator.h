// Random numbers: a Mersenne twister for the host, drawn from exactly as LibTorch's CPU generator
// is, so that equal seeds give equal programs, and one for each device.
#pragma once

#include "Device.h"

#include <cstdint>
#include <memory>

namespace gradtidy::runtime {

/// Seeds the generators of the host and of all devices.
void manual_seed(uint64_t seed);

/// Not thread safe.
class Generator {
public:
  explicit Generator(uint64_t seed);
  Generator(Generator &&) noexcept;
  ~Generator();
  /// The default generator of the host.
  static Generator &standard();
  /// The default generator of a device. Kernels that run later do not draw from it themselves:
  /// the host draws the seeds of their own generators, so that the order of calls decides.
  static Generator &of(Device device);

  void seed(uint64_t seed);
  uint64_t currentSeed() const;
  uint32_t random();
  uint64_t random64();
  /// In [0, 1), 24 random bits.
  float uniformFloat();
  /// In [0, 1), 53 random bits.
  double uniformDouble();
  /// Mean 0, deviation 1; samples come in pairs, the second one is kept for the next call.
  double normal();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace gradtidy::runtime
