// Random numbers: one Mersenne twister for the program, drawn from exactly as LibTorch's CPU
// generator is, so that equal seeds give equal programs.
#pragma once

#include <cstdint>
#include <memory>

namespace gradtidy::runtime {

/// Seeds the default generator.
void manual_seed(uint64_t seed);

/// The default generator. Not thread safe.
class Generator {
public:
  static Generator &standard();
  ~Generator();

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
  Generator();
  struct State;
  std::unique_ptr<State> state;
};

} // namespace gradtidy::runtime
