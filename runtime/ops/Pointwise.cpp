#include "Pointwise.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Factories.h"
#include "Indexing.h"
#include "kernels/Unary.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace gradtidy::runtime {
namespace {

using C = const GradientContext &;
using G = const Tensor &;

// Each formula once. `Floating` functors see float or double alone, `Number` ones every type.

// Floating
GRADTIDY_FORMULA(Exp, std::exp(x))
GRADTIDY_FORMULA(Exp2, std::exp2(x))
GRADTIDY_FORMULA(Expm1, std::expm1(x))
GRADTIDY_FORMULA(Log, std::log(x))
GRADTIDY_FORMULA(Log2, std::log2(x))
GRADTIDY_FORMULA(Log10, std::log10(x))
GRADTIDY_FORMULA(Log1p, std::log1p(x))
GRADTIDY_FORMULA(Sqrt, std::sqrt(x))
GRADTIDY_FORMULA(Rsqrt, T(1) / std::sqrt(x))
GRADTIDY_FORMULA(Reciprocal, T(1) / x)
GRADTIDY_FORMULA(Erf, std::erf(x))
GRADTIDY_FORMULA(Erfc, std::erfc(x))
GRADTIDY_FORMULA(Tanh, std::tanh(x))
GRADTIDY_FORMULA(Sigmoid, T(1) / (T(1) + std::exp(-x)))
GRADTIDY_FORMULA(LogSigmoid, (x < 0 ? x : T(0)) - std::log1p(std::exp(-std::abs(x))))
GRADTIDY_FORMULA(Silu, x / (T(1) + std::exp(-x)))
GRADTIDY_FORMULA(Frac, x - std::trunc(x))
GRADTIDY_FORMULA(Gelu, x *T(0.5) * (T(1) + std::erf(x * T(std::numbers::sqrt2 / 2))))
// Number
GRADTIDY_FORMULA(Neg, -x)
GRADTIDY_FORMULA(Abs, x < T(0) ? -x : x)
GRADTIDY_FORMULA(Relu, x < T(0) ? T(0) : x) // keeps NaN
GRADTIDY_FORMULA(Sign, (T(0) < x) - (x < T(0)))
GRADTIDY_FORMULA(Floor, std::floor(x))
GRADTIDY_FORMULA(Trunc, std::trunc(x))
GRADTIDY_FORMULA(Ceil, std::ceil(x))
GRADTIDY_FORMULA(Round, std::nearbyint(x))

/// A rational approximation, and two steps of Newton's method.
struct Erfinv {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T y) const {
    T size = std::abs(y), x;
    if (!(size < 1))
      return size == 1 ? std::copysign(T(HUGE_VAL), y) : T(NAN);
    if (size <= T(0.7)) {
      T z = y * y;
      x = y *
          (((T(-0.140543331) * z + T(0.914624893)) * z + T(-1.645349621)) * z + T(0.886226899)) /
          ((((T(0.012229801) * z + T(-0.329097515)) * z + T(1.442710462)) * z + T(-2.118377725)) *
               z +
           1);
    } else {
      T z = std::sqrt(-std::log((1 - size) / 2));
      x = std::copysign(((T(1.641345311) * z + T(3.429567803)) * z + T(-1.624906493)) * z +
                            T(-1.970840454),
                        y) /
          ((T(1.637067800) * z + T(3.543889200)) * z + 1);
    }
    for (int step = 0; step < 2; ++step)
      x -= (std::erf(x) - y) / (T(2 * std::numbers::inv_sqrtpi) * std::exp(-x * x));
    return x;
  }
};

struct NanToNum {
  double nan, positive, negative;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x) const {
    if (x != x)
      return static_cast<T>(nan);
    return !std::isinf(x) ? x : static_cast<T>(x > 0 ? positive : negative);
  }
};

struct Clamp {
  double min, max;
  /// Where the bounds cross, the upper one holds.
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x) const {
    if (x != x)
      return x;
    if (static_cast<double>(x) > max || min > max)
      return converted<T>(max);
    return static_cast<double>(x) < min ? converted<T>(min) : x;
  }
};

struct LeakyRelu {
  double slope;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x) const {
    return x > 0 ? x : x * static_cast<T>(slope);
  }
};

struct Elu {
  double alpha, scale, inputScale;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x) const {
    return x < 0 ? std::expm1(x * static_cast<T>(inputScale)) * static_cast<T>(alpha * scale)
                 : x * static_cast<T>(scale);
  }
};

struct Softplus {
  double beta, threshold;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x) const {
    T scaled = x * static_cast<T>(beta);
    return scaled > static_cast<T>(threshold) ? x
                                              : std::log1p(std::exp(scaled)) / static_cast<T>(beta);
  }
};

/// The normal distribution of Gelu by a tanh (D. Hendrycks and K. Gimpel,
/// https://arxiv.org/abs/1606.08415).
struct GeluTanh {
  static constexpr double factor = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  static constexpr double cubic = 0.044715;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x) const {
    T inner = T(factor) * (x + T(cubic) * x * x * x);
    return T(0.5) * x * (T(1) + std::tanh(inner));
  }
};

/// The gradients of both, from that of the result and the argument.
struct GeluGradient {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T gradient, T x) const {
    const T cdf = T(0.5) * (T(1) + std::erf(x * T(std::numbers::sqrt2 / 2)));
    const T pdf = std::exp(T(-0.5) * x * x) * T(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
    return gradient * (cdf + x * pdf);
  }
};
struct GeluTanhGradient {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T gradient, T x) const {
    const T t = std::tanh(T(GeluTanh::factor) * (x + T(GeluTanh::cubic) * x * x * x));
    const T slope = T(GeluTanh::factor) * (T(1) + T(3 * GeluTanh::cubic) * x * x);
    return gradient * T(0.5) * (T(1) + t + x * (T(1) - t * t) * slope);
  }
};

/// The gradient of relu, from that of its result and the result.
struct ReluGradient {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T gradient, T result) const {
    return result <= T(0) ? T(0) : gradient;
  }
};

struct IsNan {
  template <class T> GRADTIDY_HOST_DEVICE bool operator()(T x) const { return x != x; }
};
struct IsInf {
  template <class T> GRADTIDY_HOST_DEVICE bool operator()(T x) const {
    return std::isinf(static_cast<double>(x));
  }
};
struct IsFinite {
  template <class T> GRADTIDY_HOST_DEVICE bool operator()(T x) const {
    return std::isfinite(static_cast<double>(x));
  }
};
struct Not {
  template <class T> GRADTIDY_HOST_DEVICE bool operator()(T x) const { return !x; }
};

double largestOf(ScalarType type) {
  switch (type) {
  case ScalarType::Half:
    return HalfFormat::toFloat(0x7bff);
  case ScalarType::BFloat16:
    return BFloat16Format::toFloat(0x7f7f);
  case ScalarType::Float:
    return std::numeric_limits<float>::max();
  default:
    return std::numeric_limits<double>::max();
  }
}

/// floor, ceil, round, trunc: integers stay as they are, no gradient comes through.
template <class Op>
Tensor rounded(const char *name, const char *node, const Op &op, const Tensor &x) {
  Tensor out =
      isIntegralType(x.scalar_type(), false) ? clone(x.detach()) : floatingOnly(name, op, x);
  return record(out, node, {x}, {}, [](const Tensor &g, const GradientContext &) -> Gradients {
    return {zeros_like(g)};
  });
}

template <class Op> Tensor predicate(const char *name, const Op &op, const Tensor &x) {
  OperationScope scope(name);
  Tensor out = makeResult(x.sizes(), ScalarType::Bool, {&x});
  dispatchAll(x.scalar_type(), name, [&]<class T>() { elementwise<bool, T>(op, out, x); });
  return out;
}

} // namespace

Tensor gated(const Tensor &gradient, const Tensor &x, const Tensor &open, double closedSlope,
             double openSlope) {
  auto pass = [=](G g, G open) {
    return where(open, openSlope == 1 ? g : g * openSlope,
                 closedSlope == 0 ? zeros({}, g.options()) : g * closedSlope);
  };
  Tensor result;
  {
    NoGradGuard guard;
    result = pass(gradient, open);
  }
  return record(result, "ThresholdBackwardBackward0", {gradient, x}, {open},
                [pass](G g, C c) -> Gradients {
                  return {pass(g, c.saved(0)), c.needs(1) ? zeros_like(g) : Tensor()};
                });
}

namespace {

Tensor reluGradient(G gradient, G result) {
  OperationScope scope("threshold_backward");
  Tensor out = makeResult(gradient.sizes(), gradient.scalar_type(), {&gradient});
  dispatchNumbers(gradient.scalar_type(), "threshold_backward",
                  [&]<class T>() { elementwise<T, T, T>(ReluGradient(), out, gradient, result); });
  return record(out, "ThresholdBackwardBackward0", {gradient, result}, {result.detach()},
                [](G g, C c) -> Gradients {
                  return {reluGradient(g, c.saved(0)), c.needs(1) ? zeros_like(g) : Tensor()};
                });
}

} // namespace

Tensor neg(const Tensor &x) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      x.scalar_type() != ScalarType::Bool,
      "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
      "a mask, use the `~` or `logical_not()` operator instead.");
  return record(number("neg", Neg(), x), "NegBackward0", {x}, {},
                [](G g, C) -> Gradients { return {-g}; });
}

Tensor abs(const Tensor &x) {
  return record(number("abs_cpu", Abs(), x), "AbsBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * sign(c.saved(0))}; });
}

Tensor exp(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return exp(cast(x));
  Tensor y = floating("exp", Exp(), x);
  return record(y, "ExpBackward0", {x}, {y},
                [](G g, C c) -> Gradients { return {g * c.saved(0)}; });
}

Tensor exp2(const Tensor &x) {
  Tensor y = floating("exp2", Exp2(), x);
  return record(y, "Exp2Backward0", {x}, {y},
                [](G g, C c) -> Gradients { return {g * c.saved(0) * std::numbers::ln2}; });
}

Tensor expm1(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return expm1(cast(x));
  Tensor y = floating("expm1", Expm1(), x);
  return record(y, "Expm1Backward0", {x}, {y},
                [](G g, C c) -> Gradients { return {g * (c.saved(0) + 1)}; });
}

Tensor log(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return log(cast(x));
  return record(floating("log", Log(), x), "LogBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g / c.saved(0)}; });
}

Tensor log2(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return log2(cast(x));
  return record(floating("log2", Log2(), x), "Log2Backward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g / (c.saved(0) * std::numbers::ln2)}; });
}

Tensor log10(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return log10(cast(x));
  return record(floating("log10", Log10(), x), "Log10Backward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g / (c.saved(0) * std::numbers::ln10)}; });
}

Tensor log1p(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return log1p(cast(x));
  return record(floating("log1p", Log1p(), x), "Log1PBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g / (c.saved(0) + 1)}; });
}

Tensor sqrt(const Tensor &x) {
  Tensor y = floating("sqrt", Sqrt(), x);
  return record(y, "SqrtBackward0", {x}, {y},
                [](G g, C c) -> Gradients { return {g / (2 * c.saved(0))}; });
}

Tensor rsqrt(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return rsqrt(cast(x));
  Tensor y = floating("rsqrt", Rsqrt(), x);
  return record(y, "RsqrtBackward0", {x}, {y},
                [](G g, C c) -> Gradients { return {-0.5 * g * c.saved(0).pow(3)}; });
}

Tensor square(const Tensor &x) { return pow(x, 2); }

Tensor reciprocal(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return reciprocal(cast(x));
  Tensor y = floating("reciprocal", Reciprocal(), x);
  return record(y, "ReciprocalBackward0", {x}, {y},
                [](G g, C c) -> Gradients { return {-g * (c.saved(0) * c.saved(0))}; });
}

Tensor erf(const Tensor &x) {
  return record(floating("erf", Erf(), x), "ErfBackward0", {x}, {x}, [](G g, C c) -> Gradients {
    return {2 * std::numbers::inv_sqrtpi * exp(-c.saved(0).pow(2)) * g};
  });
}

Tensor erfc(const Tensor &x) {
  return record(floating("erfc", Erfc(), x), "ErfcBackward0", {x}, {x}, [](G g, C c) -> Gradients {
    return {-2 * std::numbers::inv_sqrtpi * exp(-c.saved(0).pow(2)) * g};
  });
}

Tensor erfinv(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return erfinv(cast(x));
  return record(floating("erfinv", Erfinv(), x), "ErfinvBackward0", {x}, {x},
                [](G g, C c) -> Gradients {
                  return {0.5 / std::numbers::inv_sqrtpi * exp(erfinv(c.saved(0)).pow(2)) * g};
                });
}

Tensor frac(const Tensor &x) {
  return record(floatingOnly("frac", Frac(), x), "FracBackward0", {x}, {},
                [](G g, C) -> Gradients { return {g}; });
}

Tensor nan_to_num(const Tensor &x, optional<double> nan, optional<double> posinf,
                  optional<double> neginf) {
  if (!isFloatingType(x.scalar_type()))
    return clone(x);
  double largest = largestOf(x.scalar_type());
  NanToNum formula{nan.value_or(0), posinf.value_or(largest), neginf.value_or(-largest)};
  return record(floatingOnly("nan_to_num", formula, x), "NanToNumBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * isfinite(c.saved(0).detach())}; });
}

Tensor tanh(const Tensor &x) {
  Tensor y = floating("tanh", Tanh(), x);
  return record(y, "TanhBackward0", {x}, {y},
                [](G g, C c) -> Gradients { return {g * (1 - c.saved(0).pow(2))}; });
}

Tensor sigmoid(const Tensor &x) {
  Tensor y = floating("sigmoid", Sigmoid(), x);
  return record(y, "SigmoidBackward0", {x}, {y},
                [](G g, C c) -> Gradients { return {g * ((1 - c.saved(0)) * c.saved(0))}; });
}

Tensor relu(const Tensor &x) {
  TORCH_CHECK_NOT_IMPLEMENTED(x.scalar_type() != ScalarType::Bool,
                              "Boolean inputs not supported for relu");
  Tensor y = number("relu", Relu(), x);
  return record(y, "ReluBackward0", {x}, {y},
                [](G g, C c) -> Gradients { return {reluGradient(g, c.saved(0))}; });
}

Tensor sign(const Tensor &x) {
  Tensor y = x.scalar_type() == ScalarType::Bool ? x.clone() : number("sign", Sign(), x);
  return record(y, "SignBackward0", {x}, {}, [](G g, C) -> Gradients { return {zeros_like(g)}; });
}

Tensor floor(const Tensor &x) { return rounded("floor_vml_cpu", "FloorBackward0", Floor(), x); }
Tensor trunc(const Tensor &x) { return rounded("trunc_vml_cpu", "TruncBackward0", Trunc(), x); }
Tensor ceil(const Tensor &x) { return rounded("ceil_vml_cpu", "CeilBackward0", Ceil(), x); }
Tensor round(const Tensor &x) { return rounded("round_vml_cpu", "RoundBackward0", Round(), x); }

Tensor clamp(const Tensor &x, const optional<Scalar> &min, const optional<Scalar> &max) {
  TORCH_CHECK(min || max, "torch.clamp: At least one of 'min' or 'max' must not be None");
  double low = min ? min->toDouble() : -std::numeric_limits<double>::infinity();
  double high = max ? max->toDouble() : std::numeric_limits<double>::infinity();
  Tensor bounds[] = {wrapNumber(min.value_or(*(min ? min : max))),
                     wrapNumber(max.value_or(*(max ? max : min)))};
  Tensor in = castValues(x, resultType({&x, &bounds[0], &bounds[1]}));
  Tensor y = std::isnan(low) || std::isnan(high) ? full_like(in, std::nan(""))
                                                 : number("clamp", Clamp{low, high}, in);
  return record(y, "ClampBackward0", {x}, {x}, [low, high](G g, C c) -> Gradients {
    Tensor x = c.saved(0).detach();
    return {g.masked_fill(x.ge(low).logical_and(x.le(high)).logical_not(), 0)};
  });
}

Tensor clamp(const Tensor &x, const optional<Tensor> &min, const optional<Tensor> &max) {
  TORCH_CHECK(min || max, "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (!max)
    return maximum(x, *min);
  if (!min)
    return minimum(x, *max);
  return minimum(maximum(x, *min), *max);
}

// Unlike clamp, these let no gradient through at the bound itself.
Tensor clamp_min(const Tensor &x, const Scalar &min) {
  return record(clamp(x.detach(), min, nullopt), "ClampMinBackward0", {x}, {x},
                [min](G g, C c) -> Gradients {
                  return {g.masked_fill(c.saved(0).detach().gt(min).logical_not(), 0)};
                });
}
Tensor clamp_max(const Tensor &x, const Scalar &max) {
  return record(clamp(x.detach(), nullopt, max), "ClampMaxBackward0", {x}, {x},
                [max](G g, C c) -> Gradients {
                  return {g.masked_fill(c.saved(0).detach().lt(max).logical_not(), 0)};
                });
}

Tensor isnan(const Tensor &x) { return predicate("isnan", IsNan(), x); }
Tensor isinf(const Tensor &x) { return predicate("isinf", IsInf(), x); }
Tensor isfinite(const Tensor &x) { return predicate("isfinite", IsFinite(), x); }
Tensor logical_not(const Tensor &x) { return predicate("logical_not", Not(), x); }

Tensor leaky_relu(const Tensor &x, const Scalar &negativeSlope) {
  double slope = negativeSlope.toDouble();
  return record(floatingOnly("leaky_relu_cpu", LeakyRelu{slope}, x), "LeakyReluBackward0", {x}, {x},
                [slope](G g, C c) -> Gradients {
                  Tensor x = c.saved(0);
                  return {gated(g, x, x.detach().gt(0), slope)};
                });
}

Tensor elu(const Tensor &x, const Scalar &alpha, const Scalar &scale, const Scalar &inputScale) {
  Elu formula{alpha.toDouble(), scale.toDouble(), inputScale.toDouble()};
  return record(floatingOnly("elu_cpu", formula, x), "EluBackward0", {x}, {x},
                [formula](G g, C c) -> Gradients {
                  Tensor x = c.saved(0);
                  double slope = formula.inputScale * formula.alpha * formula.scale;
                  Tensor below = clamp_max(x, 0); // elsewhere the exponential might be infinite
                  return {where(x.detach().le(0), g * (slope * exp(below * formula.inputScale)),
                                g * formula.scale)};
                });
}

namespace {

/// What a formula gives for a gradient that is not differentiated again, in one kernel.
template <class Formula> Tensor geluGradient(Formula formula, G gradient, const Tensor &x) {
  OperationScope scope("gelu_backward");
  Tensor out = makeResult(x.sizes(), x.scalar_type(), {&x});
  dispatchFloating(x.scalar_type(), "GeluBackwardKernelImpl",
                   [&]<class T>() { elementwise<T, T, T>(formula, out, gradient, x); });
  RecordFunction::setResult(out);
  return out;
}

} // namespace

Tensor gelu(const Tensor &x) {
  OperationScope scope("gelu");
  return record(floatingOnly("GeluKernelImpl", Gelu(), x), "GeluBackward0", {x}, {x},
                [](G g, C c) -> Gradients {
                  Tensor x = c.saved(0);
                  if (!mustRecord({g, x}))
                    return {geluGradient(GeluGradient(), g, x)};
                  Tensor cdf = 0.5 * (1 + erf(x * (std::numbers::sqrt2 / 2)));
                  Tensor pdf = exp(-0.5 * x * x) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
                  return {g * (cdf + x * pdf)};
                });
}

Tensor gelu(const Tensor &x, std::string_view approximate) {
  if (approximate == "none")
    return gelu(x);
  TORCH_CHECK(approximate == "tanh", "approximate argument must be either none or tanh.");
  OperationScope scope("gelu");
  return recordTanhGelu(x, floatingOnly("GeluKernelImpl", GeluTanh(), x));
}

Tensor recordTanhGelu(const Tensor &x, const Tensor &result) {
  return record(result, "GeluBackward0", {x}, {x}, [](G g, C c) -> Gradients {
    Tensor x = c.saved(0);
    if (!mustRecord({g, x}))
      return {geluGradient(GeluTanhGradient(), g, x)};
    Tensor square = x * x;
    Tensor t = tanh(GeluTanh::factor * x * (1 + GeluTanh::cubic * square));
    Tensor slope = GeluTanh::factor * (1 + 3 * GeluTanh::cubic * square);
    return {g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope)};
  });
}

Tensor silu(const Tensor &x) {
  return record(floatingOnly("silu_cpu", Silu(), x), "SiluBackward0", {x}, {x},
                [](G g, C c) -> Gradients {
                  Tensor x = c.saved(0), s = sigmoid(x);
                  return {g * s * (1 + x * (1 - s))};
                });
}

Tensor softplus(const Tensor &x, const Scalar &beta, const Scalar &threshold) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return softplus(cast(x), beta, threshold);
  double b = beta.toDouble(), limit = threshold.toDouble();
  return record(floatingOnly("softplus_cpu", Softplus{b, limit}, x), "SoftplusBackward0", {x}, {x},
                [b, limit](G g, C c) -> Gradients {
                  Tensor scaled = c.saved(0) * b;
                  return {g.where(scaled.detach().gt(limit), g * sigmoid(scaled))};
                });
}

Tensor log_sigmoid(const Tensor &x) {
  return record(floatingOnly("log_sigmoid_cpu", LogSigmoid(), x.detach().contiguous()),
                "LogSigmoidBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * sigmoid(-c.saved(0))}; });
}

Tensor Tensor::neg() const { return runtime::neg(*this); }
Tensor Tensor::abs() const { return runtime::abs(*this); }
Tensor Tensor::exp() const { return runtime::exp(*this); }
Tensor Tensor::log() const { return runtime::log(*this); }
Tensor Tensor::log2() const { return runtime::log2(*this); }
Tensor Tensor::log10() const { return runtime::log10(*this); }
Tensor Tensor::log1p() const { return runtime::log1p(*this); }
Tensor Tensor::exp2() const { return runtime::exp2(*this); }
Tensor Tensor::expm1() const { return runtime::expm1(*this); }
Tensor Tensor::sqrt() const { return runtime::sqrt(*this); }
Tensor Tensor::rsqrt() const { return runtime::rsqrt(*this); }
Tensor Tensor::square() const { return runtime::square(*this); }
Tensor Tensor::reciprocal() const { return runtime::reciprocal(*this); }
Tensor Tensor::tanh() const { return runtime::tanh(*this); }
Tensor Tensor::sigmoid() const { return runtime::sigmoid(*this); }
Tensor Tensor::relu() const { return runtime::relu(*this); }
Tensor Tensor::erf() const { return runtime::erf(*this); }
Tensor Tensor::erfc() const { return runtime::erfc(*this); }
Tensor Tensor::erfinv() const { return runtime::erfinv(*this); }
Tensor Tensor::frac() const { return runtime::frac(*this); }
Tensor Tensor::nan_to_num(optional<double> nan, optional<double> posinf,
                          optional<double> neginf) const {
  return runtime::nan_to_num(*this, nan, posinf, neginf);
}
Tensor Tensor::sign() const { return runtime::sign(*this); }
Tensor Tensor::floor() const { return runtime::floor(*this); }
Tensor Tensor::trunc() const { return runtime::trunc(*this); }
Tensor Tensor::ceil() const { return runtime::ceil(*this); }
Tensor Tensor::round() const { return runtime::round(*this); }
Tensor Tensor::clamp(const optional<Scalar> &min, const optional<Scalar> &max) const {
  return runtime::clamp(*this, min, max);
}
Tensor Tensor::clamp(const optional<Tensor> &min, const optional<Tensor> &max) const {
  return runtime::clamp(*this, min, max);
}
Tensor Tensor::clamp_min(const Scalar &min) const { return runtime::clamp_min(*this, min); }
Tensor Tensor::clamp_max(const Scalar &max) const { return runtime::clamp_max(*this, max); }
Tensor Tensor::isnan() const { return runtime::isnan(*this); }
Tensor Tensor::isinf() const { return runtime::isinf(*this); }
Tensor Tensor::isfinite() const { return runtime::isfinite(*this); }
Tensor Tensor::logical_not() const { return runtime::logical_not(*this); }

Tensor &Tensor::neg_() const { return changeInPlace(*this, {}, runtime::neg); }
Tensor &Tensor::abs_() const { return changeInPlace(*this, {}, runtime::abs); }
Tensor &Tensor::exp_() const { return changeInPlace(*this, {}, runtime::exp); }
Tensor &Tensor::log_() const { return changeInPlace(*this, {}, runtime::log); }
Tensor &Tensor::sqrt_() const { return changeInPlace(*this, {}, runtime::sqrt); }
Tensor &Tensor::tanh_() const { return changeInPlace(*this, {}, runtime::tanh); }
Tensor &Tensor::square_() const { return changeInPlace(*this, {}, runtime::square); }
Tensor &Tensor::reciprocal_() const { return changeInPlace(*this, {}, runtime::reciprocal); }
Tensor &Tensor::erfinv_() const { return changeInPlace(*this, {}, runtime::erfinv); }
Tensor &Tensor::floor_() const { return changeInPlace(*this, {}, runtime::floor); }
Tensor &Tensor::ceil_() const { return changeInPlace(*this, {}, runtime::ceil); }
Tensor &Tensor::round_() const { return changeInPlace(*this, {}, runtime::round); }
Tensor &Tensor::sigmoid_() const { return changeInPlace(*this, {}, runtime::sigmoid); }
Tensor &Tensor::relu_() const { return changeInPlace(*this, {}, runtime::relu); }
Tensor &Tensor::exp2_() const { return changeInPlace(*this, {}, runtime::exp2); }
Tensor &Tensor::expm1_() const { return changeInPlace(*this, {}, runtime::expm1); }
Tensor &Tensor::log2_() const { return changeInPlace(*this, {}, runtime::log2); }
Tensor &Tensor::log10_() const { return changeInPlace(*this, {}, runtime::log10); }
Tensor &Tensor::log1p_() const { return changeInPlace(*this, {}, runtime::log1p); }
Tensor &Tensor::rsqrt_() const { return changeInPlace(*this, {}, runtime::rsqrt); }
Tensor &Tensor::erf_() const { return changeInPlace(*this, {}, runtime::erf); }
Tensor &Tensor::erfc_() const { return changeInPlace(*this, {}, runtime::erfc); }
Tensor &Tensor::sign_() const { return changeInPlace(*this, {}, runtime::sign); }
Tensor &Tensor::trunc_() const { return changeInPlace(*this, {}, runtime::trunc); }
Tensor &Tensor::frac_() const { return changeInPlace(*this, {}, runtime::frac); }
Tensor &Tensor::logical_not_() const {
  return changeInPlace(*this, {},
                       [](const Tensor &x) { return x.logical_not().to(x.scalar_type()); });
}
Tensor &Tensor::nan_to_num_(optional<double> nan, optional<double> posinf,
                            optional<double> neginf) const {
  return changeInPlace(
      *this, {}, [&](const Tensor &x) { return runtime::nan_to_num(x, nan, posinf, neginf); });
}
Tensor &Tensor::clamp_(const optional<Tensor> &min, const optional<Tensor> &max) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return runtime::clamp(x, min, max); });
}
Tensor &Tensor::clamp_(const optional<Scalar> &min, const optional<Scalar> &max) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return runtime::clamp(x, min, max); });
}
Tensor &Tensor::clamp_min_(const Scalar &min) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return runtime::clamp_min(x, min); });
}
Tensor &Tensor::clamp_max_(const Scalar &max) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return runtime::clamp_max(x, max); });
}

} // namespace gradtidy::runtime
