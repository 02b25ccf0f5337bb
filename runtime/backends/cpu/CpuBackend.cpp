// The host as a device: memory from the C++ allocator, loops run at once in the calling thread.
#include "../../core/Backend.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

namespace gradtidy::runtime {
namespace {

constexpr std::align_val_t alignment{64};

/// Rows of c as sums of rows of b, four at a time: the inner loop is contiguous in both.
template <class T>
void gemmRows(int64_t m, int64_t n, int64_t k, const T *a, int64_t aRow, int64_t aColumn,
              const T *b, int64_t bRow, T *c) {
  for (int64_t i = 0; i < m; ++i) {
    T *out = c + i * n;
    const T *left = a + i * aRow;
    std::fill(out, out + n, T(0));
    int64_t p = 0;
    for (; p + 4 <= k; p += 4) {
      T a0 = left[p * aColumn], a1 = left[(p + 1) * aColumn];
      T a2 = left[(p + 2) * aColumn], a3 = left[(p + 3) * aColumn];
      const T *b0 = b + p * bRow, *b1 = b0 + bRow, *b2 = b1 + bRow, *b3 = b2 + bRow;
      for (int64_t j = 0; j < n; ++j)
        out[j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
    }
    for (; p < k; ++p) {
      T a0 = left[p * aColumn];
      const T *b0 = b + p * bRow;
      for (int64_t j = 0; j < n; ++j)
        out[j] += a0 * b0[j];
    }
  }
}

template <class T> void gemmOf(int64_t m, int64_t n, int64_t k, Matrix a, Matrix b, void *c) {
  auto *right = static_cast<const T *>(b.data);
  int64_t rightRow = b.rowStride;
  std::unique_ptr<T[]> packed;
  if (b.columnStride != 1 && n > 1) {
    packed = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(k * n));
    for (int64_t j = 0; j < n; ++j)
      for (int64_t p = 0; p < k; ++p)
        packed[p * n + j] = right[p * b.rowStride + j * b.columnStride];
    right = packed.get();
    rightRow = n;
  }
  gemmRows(m, n, k, static_cast<const T *>(a.data), a.rowStride, a.columnStride, right, rightRow,
           static_cast<T *>(c));
}

class CpuBackend final : public Backend {
public:
  void *allocate(std::size_t bytes) override {
    try {
      return ::operator new(std::max<std::size_t>(bytes, 1), alignment);
    } catch (const std::bad_alloc &) {
      fail("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: you tried "
           "to allocate ",
           bytes, " bytes. Error code 12 (Cannot allocate memory)");
    }
  }

  void release(void *memory) override { ::operator delete(memory, alignment); }

  void copy(void *to, const void *from, std::size_t bytes) override {
    if (bytes != 0)
      std::memcpy(to, from, bytes);
  }

  void gemm(ScalarType type, int64_t m, int64_t n, int64_t k, Matrix a, Matrix b,
            void *c) override {
    switch (type) {
    case ScalarType::Float:
      return gemmOf<float>(m, n, k, a, b, c);
    case ScalarType::Double:
      return gemmOf<double>(m, n, k, a, b, c);
    case ScalarType::Long:
      return gemmOf<int64_t>(m, n, k, a, b, c);
    case ScalarType::Int:
      return gemmOf<int32_t>(m, n, k, a, b, c);
    default:
      fail("\"addmm_impl_cpu_\" not implemented for '", type, "'");
    }
  }
};

} // namespace

Backend &cpuBackend() {
  // Never destroyed: tensors of static storage duration may outlive every other static object.
  static auto *backend = new CpuBackend;
  return *backend;
}

} // namespace gradtidy::runtime
