// Random numbers: a Mersenne twister for the host, drawn from exactly as LibTorch's CPU generator
// is, so that equal seeds give equal programs, and one for each device.
#pragma once

#include "Device.h"

#include <cstdint>
#include <memory>
#include <mutex>

namespace gradtidy::runtime {

class Tensor;

/// Seeds the generators of the host and of all devices.
void manual_seed(uint64_t seed);

/// A handle: copies draw from one sequence. Its methods do not lock; operations hold mutex().
class Generator {
public:
  explicit Generator(uint64_t seed);
  /// The default generator of the host.
  static Generator &standard();
  /// The default generator of a device. Kernels that run later do not draw from it themselves:
  /// the host draws the seeds of their own generators, so that the order of calls decides.
  static Generator &of(Device device);

  /// To be held by who draws while other threads may.
  std::mutex &mutex() const { return *guard; }

  void seed(uint64_t seed);
  void set_current_seed(uint64_t seed) { this->seed(seed); }
  uint64_t current_seed() const;
  /// All that decides about the numbers to come, as bytes for set_state().
  Tensor get_state() const;
  void set_state(const Tensor &bytes);
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
  std::shared_ptr<State> state;
  std::shared_ptr<std::mutex> guard;
};

namespace detail {
inline const Generator &getDefaultCPUGenerator() { return Generator::standard(); }
} // namespace detail

struct Context {
  const Generator &defaultGenerator(Device device) const { return Generator::of(device); }
};
inline Context globalContext() { return {}; }

} // namespace gradtidy::runtime
