#include "Softmax.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Copies.h"
#include "Pointwise.h"
#include "kernels/Reduce.h"

#include <cmath>
#include <limits>

namespace gradtidy::runtime {
namespace {

/// log(sum(exp(x))) in one pass: the sum is scaled by the largest value seen so far.
template <class T> struct LogSumExp {
  struct Acc {
    T peak = -std::numeric_limits<T>::infinity();
    double sum = 0;
  };
  Acc start() const { return {}; }
  void add(Acc &acc, T x, int64_t) const {
    if (x > acc.peak) {
      acc.sum = acc.sum * std::exp(static_cast<double>(acc.peak - x)) + 1;
      acc.peak = x;
    } else if (x != -std::numeric_limits<T>::infinity()) {
      acc.sum += std::exp(static_cast<double>(x - acc.peak));
    }
  }
  T result(const Acc &acc) const { return static_cast<T>(acc.peak + std::log(acc.sum)); }
};

struct Subtract {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x, T y) const { return x - y; }
};

struct ExpOfDifference {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x, T y) const { return std::exp(x - y); }
};

template <class Op>
Tensor normalised(const char *name, const Op &op, const Tensor &self, int64_t dim) {
  ReducedDims dims = reducedDims(self.sizes(), dim);
  Tensor total = makeEmpty(dims.kept, self.scalar_type(), self.device());
  Tensor out = makeEmpty(self.sizes(), self.scalar_type(), self.device());
  dispatchFloating(self.scalar_type(), name, [&]<class T>() {
    reduce<T, T>(LogSumExp<T>(), total, self, dims);
    elementwise<T, T, T>(op, out, self, total);
  });
  return out;
}

} // namespace

Tensor softmax(const Tensor &self, int64_t dim, optional<ScalarType> type) {
  if (type && *type != self.scalar_type())
    return softmax(self.to(*type), dim);
  dim = wrapDim(dim, self.dim());
  Tensor y = normalised("softmax_lastdim_kernel_impl", ExpOfDifference(), self, dim);
  return record(y, "SoftmaxBackward0", {self}, {y},
                [dim](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor y = c.saved(0), weighted = g * y;
                  return {weighted - y * weighted.sum(dim, true)};
                });
}

Tensor log_softmax(const Tensor &self, int64_t dim, optional<ScalarType> type) {
  if (type && *type != self.scalar_type())
    return log_softmax(self.to(*type), dim);
  dim = wrapDim(dim, self.dim());
  Tensor y = normalised("log_softmax_lastdim_kernel_impl", Subtract(), self, dim);
  return record(y, "LogSoftmaxBackward0", {self}, {y},
                [dim](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {g - exp(c.saved(0)) * g.sum(dim, true)};
                });
}

Tensor Tensor::softmax(int64_t dim, optional<ScalarType> type) const {
  return runtime::softmax(*this, dim, type);
}
Tensor Tensor::log_softmax(int64_t dim, optional<ScalarType> type) const {
  return runtime::log_softmax(*this, dim, type);
}

} // namespace gradtidy::runtime
