// Products on an emulated device, by the host's library.
#include "runtime/backends/cuda/CublasLt.h"
#include "runtime/core/Error.h"
#include "runtime/ops/kernels/Dispatch.h"

#include <cuda_runtime.h>

namespace gradtidy::runtime {

CublasLt::CublasLt() = default;
CublasLt::~CublasLt() = default;

void CublasLt::multiply(const MatrixProduct &product, Backend &, void *stream) {
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(product.type), "\"addmm_cuda\" not implemented for '",
                              product.type, "'");
  emulator::onDevice(static_cast<cudaStream_t>(stream), [product] {
    cpuBackend().multiply(product);
    dispatchNumbers(product.type, "addmm_cuda", [&]<class T>() {
      auto *row = static_cast<T *>(product.c);
      for (int64_t i = 0; product.bias && i < product.batch * product.m; ++i, row += product.n)
        for (int64_t j = 0; j < product.n; ++j)
          row[j] = static_cast<T>(MathType<T>(row[j]) +
                                  MathType<T>(static_cast<const T *>(product.bias)[j]));
    });
  });
}

} // namespace gradtidy::runtime
