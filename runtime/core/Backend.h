// Backend: what a kind of device must do for the rest of the runtime to run on it.
//
// Operations are written once above this interface. What is a plain function of memory (allocate,
// copy, matrix product) is virtual here; what takes a functor (elementwise maps, reductions) goes
// through ops/Launch.h, which runs the same functor in the order the backend prescribes.
#pragma once

#include "Device.h"
#include "ScalarType.h"

#include <cstddef>
#include <cstdint>

namespace gradtidy::runtime {

/// A matrix in memory: element (i, j) lies at data[i * rowStride + j * columnStride].
struct Matrix {
  const void *data;
  int64_t rowStride;
  int64_t columnStride;
};

class Backend {
public:
  virtual ~Backend() = default;

  /// Memory aligned for any element type; never null. Throws Error when there is not enough.
  virtual void *allocate(std::size_t bytes) = 0;
  virtual void release(void *memory) = 0;
  /// Copies between two blocks of this device that do not overlap.
  virtual void copy(void *to, const void *from, std::size_t bytes) = 0;

  /// c = a b for a: m x k, b: k x n, c: m x n in row-major order, all of one type.
  virtual void gemm(ScalarType type, int64_t m, int64_t n, int64_t k, Matrix a, Matrix b,
                    void *c) = 0;
};

/// The backend that serves `device`; throws when this build or machine has none.
Backend &backendOf(Device device);

/// The backend of the host (backends/cpu).
Backend &cpuBackend();

} // namespace gradtidy::runtime
