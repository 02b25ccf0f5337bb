// Products on an emulated device, by the host's library.
#include "runtime/backends/cuda/CublasLt.h"
#include "runtime/core/Error.h"
#include "runtime/ops/kernels/Dispatch.h"

#include <cmath>
#include <cuda_runtime.h>

namespace gradtidy::runtime {
namespace {

/// As cuBLASLt does it: what is not a number becomes 0 in Relu.
template <class Math> Math applied(Epilogue::Function function, Math x) {
  switch (function) {
  case Epilogue::Relu:
    return std::fmax(x, Math(0));
  case Epilogue::TanhGelu:
    return x / 2 * (1 + std::tanh(Math(0.7978845608028654) * (x + Math(0.044715) * x * x * x)));
  case Epilogue::Identity:
    break;
  }
  return x;
}

template <class T> void finish(const MatrixProduct &p) {
  using Math = MathType<T>;
  const auto [bias, function, before, sumsOfFirst, sumsOfSecond] = p.epilogue;
  for (int64_t i = 0; i < p.batch * p.m * p.n; ++i) {
    T &x = static_cast<T *>(p.c)[i];
    const Math value =
        bias ? Math(x) + Math(static_cast<const T *>(bias)[i % p.n]) : static_cast<Math>(x);
    if (before)
      static_cast<T *>(before)[i] = static_cast<T>(value);
    x = static_cast<T>(applied(function, value));
  }
  auto sum = [&](void *sums, const Matrix &x, int64_t count, int64_t between, int64_t within) {
    for (int64_t i = 0; sums && i < count; ++i) {
      Math total = 0;
      for (int64_t k = 0; k < p.k; ++k)
        total += Math(static_cast<const T *>(x.data)[i * between + k * within]);
      static_cast<T *>(sums)[i] = static_cast<T>(total);
    }
  };
  sum(sumsOfFirst, p.a, p.m, p.a.rowStride, p.a.columnStride);
  sum(sumsOfSecond, p.b, p.n, p.b.columnStride, p.b.rowStride);
}

/// Of the ways without the library, and with one of its epilogues or none, programs have to go all.
bool refuses(const MatrixProduct &p) {
  const Epilogue &epilogue = p.epilogue;
  return (epilogue.before && p.n % 8 != 0) || p.k % 13 == 0 ||
         (epilogue && p.type == ScalarType::Double && !epilogue.bias);
}

} // namespace

struct ProductPlan {};
struct CublasLt::Algorithm {};
CublasLt::CublasLt() = default;
CublasLt::~CublasLt() = default;

bool CublasLt::multiply(const MatrixProduct &product, Backend &, void *stream) {
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(product.type), "\"addmm_cuda\" not implemented for '",
                              product.type, "'");
  if (refuses(product))
    return false;
  emulator::onDevice(static_cast<cudaStream_t>(stream), [product] {
    MatrixProduct plain = product;
    plain.epilogue = {};
    cpuBackend().multiply(plain);
    dispatchNumbers(product.type, "addmm_cuda", [&]<class T>() { finish<T>(product); });
  });
  return true;
}

} // namespace gradtidy::runtime
