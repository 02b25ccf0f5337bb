#include "LinearAlgebra.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "../core/Cuda.h"
#include "Arithmetic.h"
#include "Copies.h"
#include "Diagonals.h"
#include "Factories.h"
#include "Linear.h"
#include "Views.h"
#include "kernels/Elementwise.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <string>

namespace gradtidy::runtime {
namespace {

using C = const GradientContext &;
using G = const Tensor &;

void checkMatrices(const char *name, const Tensor &a) {
  TORCH_CHECK(a.dim() >= 2, name, ": The input tensor A must have at least 2 dimensions.");
  TORCH_CHECK(a.size(-1) == a.size(-2), name,
              ": A must be batches of square matrices, but they are ", a.size(-2), " by ",
              a.size(-1), " matrices");
  TORCH_CHECK_NOT_IMPLEMENTED(a.is_floating_point(), name,
                              ": Expected a floating point or complex tensor as input. Got ",
                              a.scalar_type());
  TORCH_CHECK_NOT_IMPLEMENTED(!isReducedFloatingType(a.scalar_type()), name,
                              ": Low precision dtypes not supported. Got ", a.scalar_type());
}

/// "(Batch element 3): " in a batch.
std::string ofBatch(bool isBatch, int64_t element) {
  return isBatch ? concat("(Batch element ", element, "): ") : "";
}

/// The batch that the matrices of `a` are.
DimVector batchOf(const Tensor &a) { return {a.sizes().begin(), a.sizes().end() - 2}; }

/// kernel(matrix, part, i) for each n x n matrix of `a` and the part of `others` that belongs to
/// it; both are contiguous, and written. The host does it for CUDA devices, which have no kernel.
/// It waits for one that may throw, as LibTorch's does.
template <bool mayThrow = false, class Kernel>
void forEachMatrix(const Tensor &a, const Tensor &others, Kernel kernel) {
  int64_t n = a.size(-1), count = elementCount(batchOf(a));
  if (count == 0)
    return;
  if (cudaStreamOf(a.device())) {
    Tensor hostA = a.cpu(), hostOthers = others.is_same(a) ? hostA : others.cpu();
    forEachMatrix<mayThrow>(hostA, hostOthers, kernel);
    a.copy_(hostA);
    others.copy_(hostOthers);
    return;
  }
  auto thrown = std::make_shared<std::exception_ptr>();
  auto run = [&]<class T>() {
    launch("linalg", a.device(), {static_cast<int64_t>(a.nbytes()), a.numel() * n},
           [=, matrix = kernelData<T>(a), part = kernelData<T>(others),
            length = others.numel() / count] {
             try {
               for (int64_t i = 0; i < count; ++i)
                 kernel(matrix + i * n * n, part + i * length, i);
             } catch (const Error &) {
               *thrown = std::current_exception();
             }
           });
  };
  a.scalar_type() == kDouble ? run.template operator()<double>() : run.template operator()<float>();
  if constexpr (mayThrow) {
    if (!a.is_cpu())
      cuda::getCurrentCUDAStream(a.device().index()).synchronize();
    if (*thrown)
      std::rethrow_exception(*thrown);
  }
}

/// Gauss's elimination with the largest pivot of each column: makes `a` an upper triangle and does
/// to the `columns` columns of `b` what it does to the rows of `a`. Returns whether the rows were
/// exchanged an odd number of times.
template <class T> bool eliminate(T *a, int64_t n, T *b, int64_t columns) {
  bool odd = false;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k]))
        pivot = i;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      std::swap_ranges(b + k * columns, b + (k + 1) * columns, b + pivot * columns);
      odd = !odd;
    }
    if (a[k * n + k] == 0)
      continue;
    for (int64_t i = k + 1; i < n; ++i) {
      T factor = a[i * n + k] / a[k * n + k];
      for (int64_t j = k; j < n; ++j)
        a[i * n + j] -= factor * a[k * n + j];
      for (int64_t j = 0; j < columns; ++j)
        b[i * columns + j] -= factor * b[k * columns + j];
    }
  }
  return odd;
}

/// Solves a x = b for an upper triangle `a` without zeros on its diagonal, in the place of b.
template <class T> void substitute(const T *a, int64_t n, T *b, int64_t columns) {
  for (int64_t i = n - 1; i >= 0; --i)
    for (int64_t j = 0; j < columns; ++j) {
      T value = b[i * columns + j];
      for (int64_t k = i + 1; k < n; ++k)
        value -= a[i * n + k] * b[k * columns + j];
      b[i * columns + j] = value / a[i * n + i];
    }
}

/// A copy with columns at a stretch, in which LAPACK, and so LibTorch, gives its results.
Tensor byColumns(const Tensor &x) {
  Tensor columns = packed(x.mT());
  return makeAlias(columns, x.sizes(), columns.mT().strides(), 0);
}

/// The solution for contiguous matrices that may be written; fail(i, k) throws where element k of
/// the diagonal of matrix number i becomes 0.
template <class Fail> Tensor solved(const Tensor &a, const Tensor &b, const Fail &fail) {
  forEachMatrix<true>(a, b,
                      [n = a.size(-1), columns = b.size(-1), fail](auto *a, auto *b, int64_t i) {
                        eliminate(a, n, b, columns);
                        for (int64_t k = 0; k < n; ++k)
                          if (a[k * n + k] == 0)
                            fail(i, k);
                        substitute(a, n, b, columns);
                      });
  return byColumns(b);
}

/// A copy that no graph sees.
Tensor copyOf(const Tensor &x) { return packed(x.detach()); }

/// The lower triangle of x with half its diagonal.
Tensor lowerHalf(const Tensor &x) { return (x.tril() + x.tril(-1)) / 2; }

} // namespace

Tensor linalg_det(const Tensor &a) {
  OperationScope scope("linalg_det");
  checkMatrices("linalg.det", a);
  Tensor result = makeEmpty(batchOf(a), a.scalar_type(), a.device());
  forEachMatrix(copyOf(a), result, [n = a.size(-1)](auto *a, auto *out, int64_t) {
    *out = eliminate(a, n, a, 0) ? -1 : 1;
    for (int64_t k = 0; k < n; ++k)
      *out *= a[k * n + k];
  });
  return record(result, "LinalgDetBackward0", {a}, {a, result}, [](G g, C c) -> Gradients {
    Tensor scale = (g * c.saved(1)).unsqueeze(-1).unsqueeze(-1);
    return {scale * linalg_inv(c.saved(0)).mT()};
  });
}

std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor &a) {
  OperationScope scope("linalg_slogdet");
  checkMatrices("linalg.slogdet", a);
  DimVector shape = batchOf(a);
  shape.push_back(2);
  Tensor both = makeEmpty(shape, a.scalar_type(), a.device());
  forEachMatrix(copyOf(a), both, [n = a.size(-1)](auto *a, auto *out, int64_t) {
    out[0] = eliminate(a, n, a, 0) ? -1 : 1;
    out[1] = 0;
    for (int64_t k = 0; k < n; ++k) {
      auto pivot = a[k * n + k];
      out[0] *= (pivot > 0) - (pivot < 0);
      out[1] += std::log(std::abs(pivot));
    }
  });
  Tensor size = record(packed(both.select(-1, 1)), "LinalgSlogdetBackward0", {a}, {a},
                       [](G g, C c) -> Gradients {
                         return {g.unsqueeze(-1).unsqueeze(-1) * linalg_inv(c.saved(0)).mT()};
                       });
  Tensor sign = record(packed(both.select(-1, 0)), "LinalgSlogdetBackward0", {a}, {a},
                       [](G, C c) -> Gradients { return {zeros_like(c.saved(0))}; });
  return {sign, size};
}

Tensor logdet(const Tensor &a) {
  auto [sign, size] = linalg_slogdet(a);
  return size.masked_fill(sign.lt(0), std::numeric_limits<double>::quiet_NaN());
}

Tensor linalg_inv(const Tensor &a) {
  if (Casting cast = autocast::widen(a, autocast::onHost))
    return linalg_inv(cast(a));
  OperationScope scope("linalg_inv");
  checkMatrices("linalg.inv", a);
  Tensor unit = eye(a.size(-1), a.options()).expand(a.sizes());
  Tensor result =
      solved(copyOf(a), copyOf(unit), [isBatch = a.dim() > 2](int64_t element, int64_t k) {
        fail(
            "linalg.inv: ", ofBatch(isBatch, element), "The diagonal element ", k + 1,
            " is zero, the inversion could not be completed because the input matrix is singular.");
      });
  return record(result, "LinalgInvExBackward0", {a}, {result}, [](G g, C c) -> Gradients {
    Tensor transposed = c.saved(0).mT();
    return {-matmul(transposed, matmul(g, transposed))};
  });
}

Tensor linalg_solve(const Tensor &a, const Tensor &b) {
  OperationScope scope("linalg_solve");
  checkMatrices("linalg.solve", a);
  TORCH_CHECK(a.scalar_type() == b.scalar_type(),
              "linalg.solve: Expected A and B to have the same "
              "dtype, but found A of type ",
              a.scalar_type(), " and B of type ", b.scalar_type(), " instead");
  commonDevice("linalg_solve", {{"A", &a}, {"B", &b}});
  IntArrayRef sizes = a.sizes();
  if (b.dim() == 1 || b.sizes() == sizes.slice(0, sizes.size() - 1))
    return linalg_solve(a, b.unsqueeze(-1)).squeeze(-1);
  TORCH_CHECK(b.dim() >= 2 && a.size(-1) == b.size(-2),
              "linalg.solve: Incompatible shapes of A and B for the equation AX = B (", a.size(-2),
              "x", a.size(-1), " and ", b.dim() < 2 ? 0 : b.size(-2), "x", b.size(-1), ")");
  DimVector batch = broadcastShapes(batchOf(a), batchOf(b));
  auto whole = [&](const Tensor &x) {
    DimVector shape = batch;
    shape.insert(shape.end(), {x.size(-2), x.size(-1)});
    return copyOf(x.expand(shape));
  };
  Tensor result = solved(whole(a), whole(b), [isBatch = !batch.empty()](int64_t element, int64_t) {
    fail("torch.linalg.solve: ", ofBatch(isBatch, element),
         "The solver failed because the input matrix is singular.");
  });
  return record(result, "LinalgSolveExBackward0", {a, b}, {a, result}, [](G g, C c) -> Gradients {
    Tensor back = linalg_solve(c.saved(0).mT(), g);
    return {-matmul(back, c.saved(1).mT()), back};
  });
}

Tensor linalg_cholesky(const Tensor &a, bool upper) {
  if (Casting cast = autocast::widen(a, autocast::onHost))
    return linalg_cholesky(cast(a), upper);
  OperationScope scope("linalg_cholesky");
  checkMatrices("linalg.cholesky", a);
  if (upper)
    return packed(linalg_cholesky(a.mT())).mT();
  Tensor result = copyOf(a.detach().tril());
  forEachMatrix<true>(
      result, result, [n = a.size(-1), isBatch = a.dim() > 2](auto *l, auto *, int64_t element) {
        for (int64_t j = 0; j < n; ++j)
          for (int64_t i = j; i < n; ++i) {
            auto value = l[i * n + j];
            for (int64_t k = 0; k < j; ++k)
              value -= l[i * n + k] * l[j * n + k];
            if (i == j && !(value > 0))
              fail("linalg.cholesky: ", ofBatch(isBatch, element),
                   "The factorization could not be completed because the input is not "
                   "positive-definite (the leading minor of order ",
                   j + 1, " is not positive-definite).");
            l[i * n + j] = i == j ? std::sqrt(value) : value / l[j * n + j];
          }
      });
  result = byColumns(result);
  return record(result, "LinalgCholeskyExBackward0", {a}, {result}, [](G g, C c) -> Gradients {
    Tensor l = c.saved(0), inverse = linalg_inv(l);
    Tensor half = matmul(inverse.mT(), matmul(lowerHalf(matmul(l.mT(), g)), inverse));
    return {(half + half.mT()) / 2};
  });
}

std::tuple<Tensor, Tensor> Tensor::slogdet() const { return linalg_slogdet(*this); }
Tensor Tensor::logdet() const { return runtime::logdet(*this); }
Tensor Tensor::det() const { return runtime::linalg_det(*this); }
Tensor Tensor::inverse() const { return runtime::linalg_inv(*this); }
Tensor Tensor::cholesky(bool upper) const { return runtime::linalg_cholesky(*this, upper); }

} // namespace gradtidy::runtime
