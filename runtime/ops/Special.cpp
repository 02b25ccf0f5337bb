#include "Special.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Factories.h"
#include "Pointwise.h"
#include "Trigonometry.h"
#include "kernels/Unary.h"

#include <cmath>
#include <numbers>

namespace gradtidy::runtime {
namespace {

using C = const GradientContext &;
using G = const Tensor &;

// Of one number

GRADTIDY_FORMULA(Logit, std::log(x / (T(1) - x)))
GRADTIDY_FORMULA(Lgamma, std::lgamma(x))
struct Sinc {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x) const {
    T angle = x * T(std::numbers::pi);
    return x == 0 ? T(1) : std::sin(angle) / angle;
  }
};

/// By recurrence to where the asymptotic series holds.
struct Digamma {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T given) const {
    double x = static_cast<double>(given), result = 0;
    if (x == 0)
      return static_cast<T>(std::copysign(HUGE_VAL, -x));
    if (x < 0) {
      double whole, rest = std::modf(x, &whole);
      if (rest == 0)
        return static_cast<T>(NAN);
      result = -std::numbers::pi / std::tan(std::numbers::pi * rest);
      x = 1 - x;
    }
    for (; x < 10; ++x)
      result -= 1 / x;
    double y = 1 / (x * x);
    double series = y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
    return static_cast<T>(result + std::log(x) - 0.5 / x - series);
  }
};

/// (-1)^(n+1) n! times the sum of (x + k)^-(n+1) over k >= 0: some terms, then Euler and
/// Maclaurin's formula for the rest.
struct Polygamma {
  int64_t n;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T given) const {
    const double bernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730};
    double x = static_cast<double>(given), s = static_cast<double>(n) + 1, sum = 0;
    if (x <= 0 && x == std::floor(x))
      return static_cast<T>(HUGE_VAL);
    for (; x < 12; ++x)
      sum += std::pow(x, -s);
    sum += std::pow(x, 1 - s) / (s - 1) + 0.5 * std::pow(x, -s);
    double factor = s * std::pow(x, -s - 1) / 2;
    for (int k = 0; k < 6; ++k) {
      sum += bernoulli[k] * factor;
      double m = 2 * k + 2;
      factor *= (s + m - 1) * (s + m) / ((m + 1) * (m + 2) * x * x);
    }
    return static_cast<T>((n % 2 == 0 ? -1 : 1) * std::tgamma(s) * sum);
  }
};

// Of two numbers

struct Atan2 {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T y, T x) const { return std::atan2(y, x); }
};
struct Hypot {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const { return std::hypot(a, b); }
};
struct Copysign {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    return std::copysign(a, b);
  }
};
struct Xlogy {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x, T y) const {
    return y != y ? y : x == 0 ? T(0) : x * std::log(y);
  }
};
struct LogAddExp {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    if (std::isinf(a) && a == b)
      return a;
    T larger = a > b ? a : b;
    return larger + std::log1p(std::exp(-std::abs(a - b)));
  }
};
struct LogAddExp2 {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    if (std::isinf(a) && a == b)
      return a;
    T larger = a > b ? a : b;
    return larger + std::log1p(std::exp2(-std::abs(a - b))) * T(std::numbers::log2e);
  }
};

/// op of the elements, of floating point: integers become the default type.
template <class Op>
Tensor floatingPair(const char *name, const Op &op, const Tensor &a, const Tensor &b) {
  OperationScope scope(name);
  ScalarType type = resultType({&a, &b});
  if (!isFloatingType(type))
    type = get_default_dtype_as_scalartype();
  Tensor left = castValues(a, type), right = castValues(b, type);
  Tensor out = makeResult(broadcastShapes(a.sizes(), b.sizes()), type, {&a, &b});
  dispatchFloating(type, name, [&]<class T>() { elementwise<T, T, T>(op, out, left, right); });
  return out;
}

/// maximum or minimum: `a` where `first` says so, or where b is NaN.
template <class First> Tensor choice(const char *node, G a, G b, const First &first) {
  auto takesFirst = [first](G a, G b) { return first(a, b).logical_or(isnan(b)); };
  Tensor x = a.detach(), y = b.detach();
  Tensor result = where(takesFirst(x, y), x, y);
  return record(result, node, {a, b}, {a, b}, [takesFirst](G g, C c) -> Gradients {
    Tensor mine = takesFirst(c.saved(0).detach(), c.saved(1).detach());
    return {g * mine, g * mine.logical_not()};
  });
}

} // namespace

Tensor atan2(const Tensor &y, const Tensor &x) {
  return record(floatingPair("atan2", Atan2(), y, x), "Atan2Backward0", {y, x}, {y, x},
                [](G g, C c) -> Gradients {
                  Tensor y = c.saved(0), x = c.saved(1), scaled = g / (x * x + y * y);
                  return {scaled * x, scaled * -y};
                });
}

Tensor hypot(const Tensor &a, const Tensor &b) {
  Tensor result = floatingPair("hypot", Hypot(), a, b);
  return record(result, "HypotBackward0", {a, b}, {a, b, result}, [](G g, C c) -> Gradients {
    return {g * (c.saved(0) / c.saved(2)), g * (c.saved(1) / c.saved(2))};
  });
}

Tensor logaddexp(const Tensor &a, const Tensor &b) {
  return record(floatingPair("logaddexp", LogAddExp(), a, b), "LogaddexpBackward0", {a, b}, {a, b},
                [](G g, C c) -> Gradients {
                  Tensor apart = c.saved(1) - c.saved(0);
                  return {g / (1 + exp(apart)), g / (1 + exp(-apart))};
                });
}

Tensor logaddexp2(const Tensor &a, const Tensor &b) {
  return record(floatingPair("logaddexp2", LogAddExp2(), a, b), "Logaddexp2Backward0", {a, b},
                {a, b}, [](G g, C c) -> Gradients {
                  Tensor apart = c.saved(1) - c.saved(0);
                  return {g / (1 + exp2(apart)), g / (1 + exp2(-apart))};
                });
}

Tensor xlogy(const Tensor &x, const Tensor &y) {
  return record(floatingPair("xlogy", Xlogy(), x, y), "XlogyBackward0", {x, y}, {x, y},
                [](G g, C c) -> Gradients {
                  Tensor x = c.saved(0), y = c.saved(1);
                  Tensor flat = x.detach().eq(0).logical_and(y.detach().le(0));
                  return {c.needs(0) ? g * y.masked_fill(flat, 1).log() : Tensor(),
                          c.needs(1) ? g * x / y : Tensor()};
                });
}

Tensor copysign(const Tensor &a, const Tensor &b) {
  Tensor result = floatingPair("copysign", Copysign(), a, b);
  return record(result, "CopysignBackward0", {a, b}, {a, result}, [](G g, C c) -> Gradients {
    Tensor a = c.saved(0).detach();
    Tensor slope = (c.saved(1).detach() / a).masked_fill(a.eq(0), 0);
    return {g * slope, c.needs(1) ? zeros_like(g) : Tensor()};
  });
}

Tensor fmax(const Tensor &a, const Tensor &b) {
  return choice("FmaxBackward0", a, b, [](G a, G b) { return a.ge(b); });
}
Tensor fmin(const Tensor &a, const Tensor &b) {
  return choice("FminBackward0", a, b, [](G a, G b) { return a.le(b); });
}

Tensor float_power(const Tensor &base, const Tensor &exponent) {
  return pow(base.to(kDouble), exponent.to(kDouble));
}
Tensor float_power(const Tensor &base, const Scalar &exponent) {
  return pow(base.to(kDouble), exponent.toDouble());
}

Tensor logit(const Tensor &x, optional<double> eps) {
  if (eps)
    return logit(clamp(x, Scalar(*eps), Scalar(1 - *eps)));
  return record(floating("logit", Logit(), x), "LogitBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g / (c.saved(0) * (1 - c.saved(0)))}; });
}

Tensor sinc(const Tensor &x) {
  return record(floating("sinc", Sinc(), x), "SincBackward0", {x}, {x}, [](G g, C c) -> Gradients {
    Tensor x = c.saved(0), angle = x * std::numbers::pi;
    Tensor slope = (angle * cos(angle) - sin(angle)) / (x * angle);
    return {g * slope.masked_fill(x.detach().eq(0), 0)};
  });
}

Tensor lgamma(const Tensor &x) {
  return record(floating("lgamma", Lgamma(), x), "LgammaBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * digamma(c.saved(0))}; });
}

Tensor digamma(const Tensor &x) {
  return record(floating("digamma", Digamma(), x), "DigammaBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * polygamma(1, c.saved(0))}; });
}

Tensor polygamma(int64_t n, const Tensor &x) {
  TORCH_CHECK(n >= 0, "polygamma(n, x) does not support negative n.");
  if (n == 0)
    return digamma(x);
  return record(floating("polygamma", Polygamma{n}, x), "PolygammaBackward0", {x}, {x},
                [n](G g, C c) -> Gradients { return {g * polygamma(n + 1, c.saved(0))}; });
}

Tensor deg2rad(const Tensor &x) { return x * (std::numbers::pi / 180); }
Tensor rad2deg(const Tensor &x) { return x * (180 / std::numbers::pi); }

Tensor signbit(const Tensor &x) {
  Tensor numbers = x.detach();
  return numbers.is_floating_point() ? copysign(ones_like(numbers), numbers).lt(0) : numbers.lt(0);
}

Tensor Tensor::atan2(const Tensor &x) const { return runtime::atan2(*this, x); }
Tensor Tensor::hypot(const Tensor &other) const { return runtime::hypot(*this, other); }
Tensor Tensor::logaddexp(const Tensor &other) const { return runtime::logaddexp(*this, other); }
Tensor Tensor::xlogy(const Tensor &other) const { return runtime::xlogy(*this, other); }
Tensor Tensor::copysign(const Tensor &other) const { return runtime::copysign(*this, other); }
Tensor Tensor::fmax(const Tensor &other) const { return runtime::fmax(*this, other); }
Tensor Tensor::fmin(const Tensor &other) const { return runtime::fmin(*this, other); }
Tensor Tensor::float_power(const Tensor &exponent) const {
  return runtime::float_power(*this, exponent);
}
Tensor Tensor::float_power(const Scalar &exponent) const {
  return runtime::float_power(*this, exponent);
}
Tensor Tensor::logit(optional<double> eps) const { return runtime::logit(*this, eps); }
Tensor Tensor::sinc() const { return runtime::sinc(*this); }
Tensor Tensor::lgamma() const { return runtime::lgamma(*this); }
Tensor Tensor::digamma() const { return runtime::digamma(*this); }
Tensor Tensor::polygamma(int64_t n) const { return runtime::polygamma(n, *this); }
Tensor Tensor::deg2rad() const { return runtime::deg2rad(*this); }
Tensor Tensor::rad2deg() const { return runtime::rad2deg(*this); }
Tensor Tensor::signbit() const { return runtime::signbit(*this); }

} // namespace gradtidy::runtime
