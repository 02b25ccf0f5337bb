#include "CudaProduct.h"
#include "../../ops/kernels/Elementwise.h"

namespace gradtidy::runtime {
namespace {

template <class T> __global__ void productKernel(MatrixProduct p) {
  using Math = MathType<T>;
  detail::forEachOf(p.batch * p.m * p.n, [&](int64_t i) {
    int64_t batch = i;
    const int64_t column = detail::splitOff(batch, p.n), row = detail::splitOff(batch, p.m);
    const T *a = static_cast<const T *>(p.a.data) + batch * p.a.batchStride + row * p.a.rowStride;
    const T *b =
        static_cast<const T *>(p.b.data) + batch * p.b.batchStride + column * p.b.columnStride;
    Math sum = 0;
    for (int64_t k = 0; k < p.k; ++k)
      sum += Math(a[k * p.a.columnStride]) * Math(b[k * p.b.rowStride]);
    static_cast<T *>(p.c)[i] = static_cast<T>(sum);
  });
}

} // namespace

void multiplyByThreads(const MatrixProduct &product, void *stream) {
  dispatchFloating(product.type, "addmm_cuda", [&]<class T>() {
    launchKernel(productKernel<T>, cudaBlocks(product.batch * product.m * product.n), stream,
                 product);
  });
}

} // namespace gradtidy::runtime
