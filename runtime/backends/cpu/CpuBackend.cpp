// The host as a device: memory from the C++ allocator, loops run at once in the calling thread,
// matrix products from OpenBLAS.
#include "../../core/Backend.h"
#include "../../ops/kernels/Dispatch.h"
#include "../BlasLayout.h"

#include <cblas.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <malloc.h>
#include <new>
#include <type_traits>
#include <vector>

namespace gradtidy::runtime {
namespace {

constexpr std::align_val_t alignment{64};

/// How BLAS sees a matrix: rows (or, transposed, columns) of consecutive elements.
template <class T> struct BlasMatrix {
  const T *data;
  blasint leading;
  CBLAS_TRANSPOSE transposed;
};

blasint checkedSize(int64_t size) {
  TORCH_CHECK(size <= std::numeric_limits<blasint>::max(), "a matrix with a size of ", size,
              " is too large for BLAS");
  return static_cast<blasint>(size);
}

/// `x` of rows x columns for BLAS, copied into `packed` where neither its rows nor its columns are
/// of consecutive elements, or where its elements are narrower than T.
template <class T, class From>
BlasMatrix<T> forBlas(Matrix x, int64_t rows, int64_t columns, std::vector<T> &packed) {
  auto *data = static_cast<const From *>(x.data);
  if constexpr (std::is_same_v<T, From>)
    if (auto layout = blasLayout(x, rows, columns))
      return {data, checkedSize(layout->leading), layout->transposed ? CblasTrans : CblasNoTrans};
  packed.resize(static_cast<std::size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      packed[i * columns + j] = static_cast<T>(data[i * x.rowStride + j * x.columnStride]);
  return {packed.data(), checkedSize(std::max<int64_t>(columns, 1)), CblasNoTrans};
}

template <class T, class From>
void blasGemm(int64_t m, int64_t n, int64_t k, Matrix a, Matrix b, T *c) {
  if (m == 0 || n == 0)
    return;
  std::vector<T> packedA, packedB;
  auto left = forBlas<T, From>(a, m, k, packedA), right = forBlas<T, From>(b, k, n, packedB);
  blasint rows = checkedSize(m), columns = checkedSize(n), inner = checkedSize(k);
  if constexpr (std::is_same_v<T, float>)
    cblas_sgemm(CblasRowMajor, left.transposed, right.transposed, rows, columns, inner, 1,
                left.data, left.leading, right.data, right.leading, 0, c, columns);
  else
    cblas_dgemm(CblasRowMajor, left.transposed, right.transposed, rows, columns, inner, 1,
                left.data, left.leading, right.data, right.leading, 0, c, columns);
}

/// Half and BFloat16, which are multiplied as float.
template <class T> void narrowGemm(int64_t m, int64_t n, int64_t k, Matrix a, Matrix b, T *c) {
  std::vector<float> wide(static_cast<std::size_t>(m * n));
  blasGemm<float, T>(m, n, k, a, b, wide.data());
  std::copy(wide.begin(), wide.end(), c);
}

/// Integers, of which BLAS knows nothing.
template <class T> void integerGemm(int64_t m, int64_t n, int64_t k, Matrix a, Matrix b, T *c) {
  auto *left = static_cast<const T *>(a.data), *right = static_cast<const T *>(b.data);
  std::fill(c, c + m * n, T(0));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] =
            static_cast<T>(c[i * n + j] + left[i * a.rowStride + p * a.columnStride] *
                                              right[p * b.rowStride + j * b.columnStride]);
}

class CpuBackend final : public Backend {
public:
  CpuBackend() {
#if defined(__GLIBC__)
    // A step of training takes the blocks again that the one before gave back, so the system need
    // not have them meanwhile.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
  }

  void *allocate(std::size_t bytes) override {
    void *memory = ::operator new(std::max<std::size_t>(bytes, 1), alignment, std::nothrow);
    TORCH_CHECK(memory,
                "[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate "
                "memory: you tried to allocate ",
                bytes, " bytes. Error code 12 (Cannot allocate memory)");
    return memory;
  }

  void release(void *memory) override { ::operator delete(memory, alignment); }

  void copy(void *to, const void *from, std::size_t bytes) override {
    if (bytes != 0)
      std::memcpy(to, from, bytes);
  }

  bool multiply(const MatrixProduct &p) override {
    if (p.epilogue)
      return false;
    dispatchNumbers(p.type, "addmm_impl_cpu_", [&]<class T>() {
      auto [type, batch, m, n, k, a, b, c, epilogue] = p;
      auto *out = static_cast<T *>(c);
      for (int64_t i = 0; i < batch; ++i, out += m * n) {
        if constexpr (std::is_floating_point_v<T>)
          blasGemm<T, T>(m, n, k, a, b, out);
        else if constexpr (std::is_integral_v<T>)
          integerGemm(m, n, k, a, b, out);
        else
          narrowGemm(m, n, k, a, b, out);
        for (Matrix *x : {&a, &b})
          x->data = static_cast<const T *>(x->data) + x->batchStride;
      }
    });
    return true;
  }
};

} // namespace

Backend &cpuBackend() {
  // Never destroyed: tensors of static storage duration may outlive every other static object.
  static auto *backend = new CpuBackend;
  return *backend;
}

void set_num_threads(int count) {
  TORCH_CHECK(count > 0, "Expected positive number of threads");
  openblas_set_num_threads(count);
}
int get_num_threads() { return openblas_get_num_threads(); }

} // namespace gradtidy::runtime
