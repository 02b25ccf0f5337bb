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

/// The gradient from that of the result y, and along `dim` the sum of that, or of its product with
/// y.
template <bool logarithmic> struct SoftmaxGradient {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T g, T y, T sum) const {
    return logarithmic ? g - std::exp(y) * sum : y * (g - sum);
  }
};

struct Product {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x, T y) const { return x * y; }
};

/// A new tensor of the type that elements of type T are computed with.
template <class T> Tensor emptyForMath(IntArrayRef sizes, const Tensor &like) {
  return makeEmpty(sizes, std::is_same_v<T, double> ? kDouble : kFloat, like.device());
}

/// `wide` itself for results of that type.
template <class T> Tensor resultInPlaceOf(const Tensor &wide, const Tensor &like) {
  return std::is_same_v<T, MathType<T>>
             ? wide
             : makeEmpty(like.sizes(), like.scalar_type(), like.device());
}

/// exp(x - peak), the peak along `dim`, and the sum of the exponentials along it. Numbers of 16
/// bits are computed with as float.
struct Exponentials {
  Tensor values, peak, sum;
};

template <class T> Exponentials exponentials(const Tensor &self, int64_t dim) {
  using Math = MathType<T>;
  ReducedDims dims = reducedDims(self.sizes(), dim);
  Exponentials e{emptyForMath<T>(self.sizes(), self), emptyForMath<T>(dims.kept, self),
                 emptyForMath<T>(dims.kept, self)};
  reduce<Math, T>(Peak<Math>(), e.peak, self, dims);
  elementwise<Math, T, Math>(ExpOfDifference(), e.values, self, e.peak);
  reduce<Math, Math>(Sum<Math>(), e.sum, e.values, dims);
  return e;
}

/// Rows of CUDA devices: the largest number so far, NaN if there was one, and the sum of all
/// exponentials relative to its own.
template <class T, bool logarithmic> struct SoftmaxRow {
  struct Acc {
    T peak = -std::numeric_limits<T>::infinity(), sum = 0;
  };
  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, T x) const {
    join(acc, {x, x - x + 1}); // NaN for infinity
  }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &other) const {
    const T peak = other.peak > acc.peak || other.peak != other.peak ? other.peak : acc.peak;
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
    return SoftmaxGradient<logarithmic>()(g, y, static_cast<T>(acc));
  }
};

/// Whether `dim` is the last one of a tensor on a device that runs CUDA kernels.
bool isRowOfCuda(const Tensor &x, int64_t dim) {
  return x.dim() > 0 && wrapDim(dim, x.dim()) == x.dim() - 1 && cudaStreamOf(x.device());
}

/// The result of one kernel; undefined where isRowOfCuda() is not.
template <bool logarithmic> Tensor softmaxByCuda(const Tensor &x, int64_t dim) {
  if (!isRowOfCuda(x, dim))
    return {};
  const Tensor packed = x.detach().contiguous();
  Tensor y = makeEmpty(x.sizes(), x.scalar_type(), x.device());
  dispatchFloating(x.scalar_type(), "softmax", [&]<class T>() {
    mapRowsByCuda<T, T>(SoftmaxRow<MathType<T>, logarithmic>(), y, x.size(-1), packed);
  });
  return y;
}

/// The gradient, which is no part of a graph itself.
template <bool logarithmic> Tensor softmaxGradient(const Tensor &g, const Tensor &y, int64_t dim) {
  Tensor result;
  dispatchFloating(y.scalar_type(), "softmax_backward", [&]<class T>() {
    using Math = MathType<T>;
    if (isRowOfCuda(y, dim)) {
      const Tensor packedG = g.contiguous(), packedY = y.contiguous();
      result = makeEmpty(y.sizes(), y.scalar_type(), y.device());
      mapRowsByCuda<T, T, T>(SoftmaxGradientRow<Math, logarithmic>(), result, y.size(-1), packedG,
                             packedY);
      return;
    }
    const ReducedDims dims = reducedDims(y.sizes(), dim);
    const Tensor sum = emptyForMath<T>(dims.kept, y);
    if constexpr (logarithmic) {
      result = makeEmpty(y.sizes(), y.scalar_type(), y.device());
      reduce<Math, T>(Sum<Math>(), sum, g, dims);
    } else {
      const Tensor products = emptyForMath<T>(y.sizes(), y);
      elementwise<Math, T, T>(Product(), products, g, y);
      reduce<Math, Math>(Sum<Math>(), sum, products, dims);
      result = resultInPlaceOf<T>(products, y);
    }
    elementwise<T, T, T, Math>(SoftmaxGradient<logarithmic>(), result, g, y, sum);
  });
  return result;
}

/// A result to compute gradients of gradients with.
Tensor wide(const Tensor &y) { return isReducedFloatingType(y.scalar_type()) ? y.to(kFloat) : y; }

} // namespace

Tensor softmax(const Tensor &self, int64_t dim, optional<ScalarType> type) {
  if (Casting cast = autocast::widen(self, autocast::onCuda))
    return softmax(cast(self), dim, type);
  OperationScope scope("softmax");
  if (type && *type != self.scalar_type())
    return softmax(self.to(*type), dim);
  dim = wrapDim(dim, self.dim());
  if (self.numel() == 0)
    return self.clone();
  bool last = self.dim() == 0 || dim == self.dim() - 1;
  const char *kernel = last ? "softmax_lastdim_kernel_impl" : "softmax_kernel_impl";
  Tensor y = softmaxByCuda<false>(self, dim);
  if (!y.defined())
    dispatchFloating(self.scalar_type(), kernel, [&]<class T>() {
      Exponentials e = exponentials<T>(self, dim);
      y = resultInPlaceOf<T>(e.values, self);
      elementwise<T, MathType<T>, MathType<T>>(Quotient(), y, e.values, e.sum);
    });
  return record(y, "SoftmaxBackward0", {self}, {y},
                [dim](const Tensor &g, const GradientContext &c) -> Gradients {
                  if (!GradMode::is_enabled())
                    return {softmaxGradient<false>(g, c.saved(0), dim)};
                  const Tensor y = wide(c.saved(0)), weighted = g * y;
                  return {weighted - y * weighted.sum(dim, true)};
                });
}

Tensor log_softmax(const Tensor &self, int64_t dim, optional<ScalarType> type) {
  if (Casting cast = autocast::widen(self, autocast::onCuda))
    return log_softmax(cast(self), dim, type);
  OperationScope scope("log_softmax");
  if (type && *type != self.scalar_type())
    return log_softmax(self.to(*type), dim);
  dim = wrapDim(dim, self.dim());
  if (self.numel() == 0)
    return self.clone();
  bool last = self.dim() == 0 || dim == self.dim() - 1;
  const char *kernel = last ? "log_softmax_lastdim_kernel_impl" : "log_softmax_kernel_impl";
  Tensor y = softmaxByCuda<true>(self, dim);
  if (!y.defined())
    dispatchFloating(self.scalar_type(), kernel, [&]<class T>() {
      Exponentials e = exponentials<T>(self, dim);
      y = resultInPlaceOf<T>(e.values, self);
      elementwise<T, T, MathType<T>, MathType<T>>(LogProbability(), y, self, e.peak, e.sum);
    });
  return record(y, "LogSoftmaxBackward0", {self}, {y},
                [dim](const Tensor &g, const GradientContext &c) -> Gradients {
                  if (!GradMode::is_enabled())
                    return {softmaxGradient<true>(g, c.saved(0), dim)};
                  return {g - exp(wide(c.saved(0))) * wide(g).sum(dim, true)};
                });
}

Tensor Tensor::softmax(int64_t dim, optional<ScalarType> type) const {
  return runtime::softmax(*this, dim, type);
}
Tensor Tensor::log_softmax(int64_t dim, optional<ScalarType> type) const {
  return runtime::log_softmax(*this, dim, type);
}

} // namespace gradtidy::runtime
