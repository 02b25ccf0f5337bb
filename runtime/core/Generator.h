// Random numbers: a Mersenne twister for the host, drawn from exactly as LibTorch's CPU generator
// is, so that equal seeds give equal programs, and one for each device.
#pragma once

#include "Device.h"
#include "Platform.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace gradtidy::runtime {

class Tensor;

/// Seeds the generators of the host and of all devices.
void manual_seed(uint64_t seed);

/// The numbers that a source of 32 random bits gives.
template <class Source> class NumbersOf {
public:
  GRADTIDY_HOST_DEVICE uint64_t random64() {
    uint64_t high = bits();
    return high << 32 | bits();
  }
  /// In [0, 1), 24 random bits.
  GRADTIDY_HOST_DEVICE float uniformFloat() {
    return static_cast<float>(bits() & ((1u << 24) - 1)) * (1.0f / (1u << 24));
  }
  /// In [0, 1), 53 random bits.
  GRADTIDY_HOST_DEVICE double uniformDouble() {
    return static_cast<double>(random64() & ((1ull << 53) - 1)) * (1.0 / (1ull << 53));
  }

private:
  GRADTIDY_HOST_DEVICE uint32_t bits() { return static_cast<Source *>(this)->random(); }
};

/// A handle: copies draw from one sequence. Its methods do not lock; operations hold mutex().
class Generator : public NumbersOf<Generator> {
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
  /// Mean 0, deviation 1; samples come in pairs, the second one is kept for the next call.
  double normal();

private:
  struct State;
  std::shared_ptr<State> state;
  std::shared_ptr<std::mutex> guard;
};

namespace detail {
inline const Generator &getDefaultCPUGenerator() { return Generator::standard(); }
inline Generator createCPUGenerator(uint64_t seed = 67280421310721) { return Generator(seed); }
} // namespace detail

struct Context {
  const Generator &defaultGenerator(Device device) const { return Generator::of(device); }
  /// Whether products of float32 matrices on CUDA devices may round their operands to ten bits of
  /// mantissa, for which there are tensor cores; not, unless a program says so.
  bool allowTF32CuBLAS() const { return productsInTF32; }
  void setAllowTF32CuBLAS(bool allow) const { productsInTF32 = allow; }
  /// The same for convolutions; it may, unless a program says that it may not.
  bool allowTF32CuDNN() const { return convolutionsInTF32; }
  void setAllowTF32CuDNN(bool allow) const { convolutionsInTF32 = allow; }
  /// Whether cuDNN computes convolutions on CUDA devices; else they are products of matrices.
  bool userEnabledCuDNN() const { return cudnn; }
  void setUserEnabledCuDNN(bool enabled) const { cudnn = enabled; }
  /// Whether cuDNN may only compute in ways that give the same bits in every run.
  bool deterministicCuDNN() const { return reproducible; }
  void setDeterministicCuDNN(bool deterministic) const { reproducible = deterministic; }
  /// Whether to measure which way is fastest, where LibTorch does; the runtime takes the one that
  /// cuDNN expects to be it.
  bool benchmarkCuDNN() const { return benchmark; }
  void setBenchmarkCuDNN(bool measure) const { benchmark = measure; }

  /// Whether everything must give the same bits in every run. On CUDA devices cuDNN might not, and
  /// what is put at repeated positions (gradients of embeddings and indices, index_add_, scatter_
  /// ...) is put in any order, unless this is said: then it is sorted before.
  bool deterministicAlgorithms() const { return everythingReproducible; }
  void setDeterministicAlgorithms(bool deterministic, bool = false) const {
    everythingReproducible = deterministic;
  }

private:
  inline static std::atomic<bool> productsInTF32 = false, convolutionsInTF32 = true, cudnn = true,
                                  reproducible = false, everythingReproducible = false,
                                  benchmark = false;
};
inline Context globalContext() { return {}; }

} // namespace gradtidy::runtime
