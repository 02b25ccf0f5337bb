#include "Softmax.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Copies.h"
#include "Pointwise.h"
#include "kernels/Rows.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

namespace gradtidy::runtime {
namespace {

/// The largest number. NaN may be left out: the sum of the exponentials will be one.
template <class T> struct Peak {
  GRADTIDY_HOST_DEVICE T start() const { return -std::numeric_limits<T>::infinity(); }
  GRADTIDY_HOST_DEVICE void add(T &acc, T x, int64_t) const { acc = x > acc ? x : acc; }
  GRADTIDY_HOST_DEVICE void join(T &acc, T other) const { add(acc, other, 0); }
  GRADTIDY_HOST_DEVICE T result(T acc) const { return acc; }
};

/// exp(x) without a call, so that a loop of it becomes vector instructions: e^x = 2^n e^r for a
/// whole n and |r| <= ln(2) / 2, where a polynomial is exact to 2e-8.
[[maybe_unused]] inline float exponential(float x) {
  constexpr float ln2High = 0.693145752f, ln2Low = 1.42860677e-6f, rounder = 12582912; // 1.5 * 2^23
  x = x < -104 ? -104 : x > 89 ? 89 : x;                                               // NaN stays
  const float shifted = x * std::numbers::log2e_v<float> + rounder, n = shifted - rounder;
  const float r = (x - n * ln2High) - n * ln2Low;
  float e = r * (1.0f / 5040) + 1.0f / 720;
  e = (((e * r + 1.0f / 120) * r + 1.0f / 24) * r + 1.0f / 6) * r;
  e = ((e + 0.5f) * r + 1) * r + 1;
  // In two factors, of which neither leaves the range of normal numbers.
  const int whole = std::bit_cast<int>(shifted) - std::bit_cast<int>(rounder), half = whole / 2;
  auto powerOfTwo = [](int k) { return std::bit_cast<float>((k + 127) << 23); };
  return e * powerOfTwo(half) * powerOfTwo(whole - half);
}

struct ExpOfDifference {
  GRADTIDY_HOST_DEVICE double operator()(double x, double peak) const { return std::exp(x - peak); }
  GRADTIDY_HOST_DEVICE float operator()(float x, float peak) const {
#if defined(__CUDA_ARCH__)
    return std::exp(x - peak);
#else
    return exponential(x - peak);
#endif
  }
};

struct Quotient {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x, T y) const { return x / y; }
};

/// In this order of subtraction large logits lose no digits.
struct LogProbability {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x, T peak, T sum) const {
    return x - peak - std::log(sum);
  }
};

/// exp(x - peak), the peak along `dim`, and the sum of the exponentials along it.
struct Exponentials {
  Tensor values, peak, sum;
};

template <class T> Exponentials exponentials(const Tensor &self, int64_t dim) {
  ReducedDims dims = reducedDims(self.sizes(), dim);
  Exponentials e{makeEmpty(self.sizes(), self.scalar_type(), self.device()),
                 makeEmpty(dims.kept, self.scalar_type(), self.device()),
                 makeEmpty(dims.kept, self.scalar_type(), self.device())};
  reduce<T, T>(Peak<MathType<T>>(), e.peak, self, dims);
  elementwise<T, T, T>(ExpOfDifference(), e.values, self, e.peak);
  reduce<T, T>(Sum<T>(), e.sum, e.values, dims);
  return e;
}

/// Rows of CUDA devices: the largest number so far, and the sum of all exponentials relative to its
/// own.
template <class T, bool logarithmic> struct SoftmaxRow {
  struct Acc {
    T peak = -std::numeric_limits<T>::infinity(), sum = 0;
  };
  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, T x) const {
    join(acc, {x, x - x + 1}); // NaN for infinity
  }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &other) const {
    const T peak = other.peak > acc.peak ? other.peak : acc.peak;
    acc = {peak, share(acc, peak) + share(other, peak)};
  }
  GRADTIDY_HOST_DEVICE T map(const Acc &acc, T x, int64_t) const {
    return logarithmic ? x - acc.peak - std::log(acc.sum) : std::exp(x - acc.peak) / acc.sum;
  }

private:
  /// Where nothing but negative infinity was seen, there is nothing to scale.
  GRADTIDY_HOST_DEVICE static T share(const Acc &acc, T peak) {
    return acc.peak == -std::numeric_limits<T>::infinity() ? 0
                                                           : acc.sum * std::exp(acc.peak - peak);
  }
};

/// The gradient of a row from its result y and the gradient of that.
template <class T, bool logarithmic> struct SoftmaxGradientRow {
  GRADTIDY_HOST_DEVICE Accumulator<T> start() const { return 0; }
  GRADTIDY_HOST_DEVICE void add(Accumulator<T> &acc, T g, T y) const {
    acc += logarithmic ? g : g * y;
  }
  GRADTIDY_HOST_DEVICE void join(Accumulator<T> &acc, Accumulator<T> other) const { acc += other; }
  GRADTIDY_HOST_DEVICE T map(Accumulator<T> acc, T g, T y, int64_t) const {
    return logarithmic ? g - std::exp(y) * static_cast<T>(acc) : y * (g - static_cast<T>(acc));
  }
};

/// Whether `dim` is the last one of a tensor on a device that runs CUDA kernels.
bool isRowOfCuda(const Tensor &x, int64_t dim) {
  return x.dim() > 0 && wrapDim(dim, x.dim()) == x.dim() - 1 &&
         !isReducedFloatingType(x.scalar_type()) && cudaStreamOf(x.device());
}

/// use<T>() for float and double, as which numbers of 16 bits come.
template <class Use> void forWide(const Tensor &x, const char *name, const Use &use) {
  dispatchFloating(x.scalar_type(), name, [&]<class T>() {
    if constexpr (std::is_same_v<T, MathType<T>>)
      use.template operator()<T>();
  });
}

/// The result of one kernel; undefined where isRowOfCuda() is not.
template <bool logarithmic> Tensor softmaxByCuda(const Tensor &x, int64_t dim) {
  if (!isRowOfCuda(x, dim))
    return {};
  const Tensor packed = x.detach().contiguous();
  Tensor y = makeEmpty(x.sizes(), x.scalar_type(), x.device());
  forWide(x, "softmax", [&]<class T>() {
    mapRowsByCuda<T, T>(SoftmaxRow<T, logarithmic>(), y, x.size(-1), packed);
  });
  return y;
}

/// The same for a gradient, if it is no part of a graph itself.
template <bool logarithmic> Tensor gradientByCuda(const Tensor &g, const Tensor &y, int64_t dim) {
  if (GradMode::is_enabled() || !isRowOfCuda(y, dim) || g.scalar_type() != y.scalar_type())
    return {};
  const Tensor packedG = g.contiguous(), packedY = y.contiguous();
  Tensor result = makeEmpty(y.sizes(), y.scalar_type(), y.device());
  forWide(y, "softmax_backward", [&]<class T>() {
    mapRowsByCuda<T, T, T>(SoftmaxGradientRow<T, logarithmic>(), result, y.size(-1), packedG,
                           packedY);
  });
  return result;
}

} // namespace

Tensor softmax(const Tensor &self, int64_t dim, optional<ScalarType> type) {
  if (Casting cast = autocast::widen(self, autocast::onCuda))
    return softmax(cast(self), dim, type);
  OperationScope scope("softmax");
  if (type && *type != self.scalar_type())
    return softmax(self.to(*type), dim);
  if (isReducedFloatingType(self.scalar_type()))
    return softmax(self, dim, kFloat).to(self.scalar_type());
  dim = wrapDim(dim, self.dim());
  if (self.numel() == 0)
    return self.clone();
  bool last = self.dim() == 0 || dim == self.dim() - 1;
  const char *kernel = last ? "softmax_lastdim_kernel_impl" : "softmax_kernel_impl";
  Tensor y = softmaxByCuda<false>(self, dim);
  if (!y.defined())
    dispatchFloating(self.scalar_type(), kernel, [&]<class T>() {
      Exponentials e = exponentials<T>(self, dim);
      elementwise<T, T, T>(Quotient(), e.values, e.values, e.sum);
      y = e.values;
    });
  return record(y, "SoftmaxBackward0", {self}, {y},
                [dim](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor y = c.saved(0);
                  if (Tensor made = gradientByCuda<false>(g, y, dim); made.defined())
                    return {made};
                  Tensor weighted = g * y;
                  return {weighted - y * weighted.sum(dim, true)};
                });
}

Tensor log_softmax(const Tensor &self, int64_t dim, optional<ScalarType> type) {
  if (Casting cast = autocast::widen(self, autocast::onCuda))
    return log_softmax(cast(self), dim, type);
  OperationScope scope("log_softmax");
  if (type && *type != self.scalar_type())
    return log_softmax(self.to(*type), dim);
  if (isReducedFloatingType(self.scalar_type()))
    return log_softmax(self, dim, kFloat).to(self.scalar_type());
  dim = wrapDim(dim, self.dim());
  if (self.numel() == 0)
    return self.clone();
  bool last = self.dim() == 0 || dim == self.dim() - 1;
  const char *kernel = last ? "log_softmax_lastdim_kernel_impl" : "log_softmax_kernel_impl";
  Tensor y = softmaxByCuda<true>(self, dim);
  if (!y.defined())
    dispatchFloating(self.scalar_type(), kernel, [&]<class T>() {
      Exponentials e = exponentials<T>(self, dim);
      elementwise<T, T, T, T>(LogProbability(), e.values, self, e.peak, e.sum);
      y = e.values;
    });
  return record(y, "LogSoftmaxBackward0", {self}, {y},
                [dim](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor y = c.saved(0), made = gradientByCuda<true>(g, y, dim);
                  return {made.defined() ? made : g - exp(y) * g.sum(dim, true)};
                });
}

Tensor Tensor::softmax(int64_t dim, optional<ScalarType> type) const {
  return runtime::softmax(*this, dim, type);
}
Tensor Tensor::log_softmax(int64_t dim, optional<ScalarType> type) const {
  return runtime::log_softmax(*this, dim, type);
}

} // namespace gradtidy::runtime
