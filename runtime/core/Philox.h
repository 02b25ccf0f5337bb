// Philox: random numbers that kernels draw, each thread its own, by counting.
// (J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011)
#pragma once

#include "Generator.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace gradtidy::runtime {

/// One of the 2^64 sequences of a seed.
class Philox : public NumbersOf<Philox> {
public:
  using Block = std::array<uint32_t, 4>;

  GRADTIDY_HOST_DEVICE Philox(uint64_t seed, uint64_t sequence) : seed(seed), sequence(sequence) {}

  GRADTIDY_HOST_DEVICE uint32_t random() {
    if (drawn % 4 == 0)
      block = blockOf({low(drawn / 4), high(drawn / 4), low(sequence), high(sequence)},
                      {low(seed), high(seed)});
    return block[drawn++ % 4];
  }

  /// Mean 0, deviation 1.
  GRADTIDY_HOST_DEVICE double normal() {
    double u1 = uniformDouble(), u2 = uniformDouble();
    return std::sqrt(-2 * std::log1p(-u2)) * std::cos(2 * std::numbers::pi * u1);
  }

  /// Philox4x32-10: what the counter becomes in ten rounds.
  GRADTIDY_HOST_DEVICE static Block blockOf(Block c, std::array<uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
      uint64_t first = uint64_t{0xD2511F53} * c[0], second = uint64_t{0xCD9E8D57} * c[2];
      c = {high(second) ^ c[1] ^ key[0], low(second), high(first) ^ c[3] ^ key[1], low(first)};
      key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
    }
    return c;
  }

private:
  GRADTIDY_HOST_DEVICE static uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
  GRADTIDY_HOST_DEVICE static uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  uint64_t seed, sequence, drawn = 0;
  Block block{};
};

/// A seed that kernels draw with, which gives other numbers in each replay of the CUDA graph that
/// they are part of.
struct ReplayedSeed {
  uint64_t seed = 0;
  const int64_t *replays = nullptr; ///< how many there were; null outside of graphs

  GRADTIDY_HOST_DEVICE Philox sequence(int64_t i) const {
    constexpr uint64_t golden = 0x9E3779B97F4A7C15; // spreads neighbouring numbers
    return Philox(replays ? seed + golden * static_cast<uint64_t>(*replays) : seed,
                  static_cast<uint64_t>(i));
  }
};

} // namespace gradtidy::runtime
