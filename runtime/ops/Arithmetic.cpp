#include "Arithmetic.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Factories.h"
#include "kernels/Elementwise.h"

#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace gradtidy::runtime {
namespace {

struct Add {
  double alpha;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a + converted<T>(alpha) * b);
  }
};

struct Sub {
  double alpha;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a - converted<T>(alpha) * b);
  }
};

struct Mul {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};

struct Div {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const { return a / b; }
};

// The quotient of the smallest integer by -1 does not fit: it wraps around.

struct Fmod {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::fmod(a, b);
    else
      return std::is_signed_v<T> && b == static_cast<T>(-1) ? T(0) : static_cast<T>(a % b);
  }
};

struct Remainder {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    T rest = Fmod()(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
};

struct DivTrunc {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::trunc(a / b);
    else if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return static_cast<T>(-static_cast<uint64_t>(a));
    else
      return static_cast<T>(a / b);
  }
};

struct DivFloor {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    T rest = Fmod()(a, b);
    bool below = rest != 0 && (rest < 0) != (b < 0);
    if constexpr (std::is_floating_point_v<T>) {
      if (b == 0)
        return a / b;
      T quotient = (a - rest) / b - (below ? 1 : 0); // whole but for the last digits
      return quotient == 0 ? std::copysign(T(0), a / b) : std::round(quotient);
    } else {
      return static_cast<T>(DivTrunc()(a, b) - (below ? 1 : 0));
    }
  }
};

struct Pow {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T base, T exponent) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::pow(base, exponent);
    } else {
      if (exponent < 0 && base != 1 && base != static_cast<T>(-1))
        return 0;
      if (exponent < 0)
        return exponent % 2 == 0 ? 1 : base;
      T result = 1;
      for (; exponent != 0; exponent = static_cast<T>(exponent >> 1)) {
        if (exponent & 1)
          result = static_cast<T>(result * base);
        base = static_cast<T>(base * base);
      }
      return result;
    }
  }
};

struct Maximum {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    return a != a ? a : (b != b || b > a) ? b : a; // NaN wins
  }
};

struct Minimum {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    return a != a ? a : (b != b || b < a) ? b : a;
  }
};

/// From the nearer end, so that both ends are met exactly.
struct Lerp {
  double weight;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T start, T end) const {
    auto w = static_cast<T>(weight);
    return std::abs(weight) < 0.5 ? start + w * (end - start) : end - (end - start) * (1 - w);
  }
};

struct AddProduct {
  double value;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T self, T a, T b) const {
    return static_cast<T>(self + converted<T>(value) * a * b);
  }
};

struct AddQuotient {
  double value;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T self, T a, T b) const {
    return static_cast<T>(self + static_cast<T>(value) * a / b);
  }
};

template <class Op>
void apply(const char *name, const Op &op, const Tensor &out, const Tensor &a, const Tensor &b) {
  ScalarType type = out.scalar_type();
  Tensor left = castValues(a, type), right = castValues(b, type);
  dispatchNumbers(type, name, [&]<class T>() { elementwise<T, T, T>(op, out, left, right); });
}

template <class Op>
Tensor binary(const char *name, const Op &op, const Tensor &a, const Tensor &b, ScalarType type) {
  OperationScope scope(name);
  Tensor out = makeResult(broadcastShapes(a.sizes(), b.sizes()), type, {&a, &b});
  // Sums and maxima of truth values are or, products and minima and.
  if (type == ScalarType::Bool) {
    if constexpr (std::is_same_v<Op, Add> || std::is_same_v<Op, Mul> ||
                  std::is_same_v<Op, Maximum> || std::is_same_v<Op, Minimum>) {
      elementwise<bool, bool, bool>(op, out, a, b);
      return out;
    }
  }
  apply(name, op, out, a, b);
  RecordFunction::setResult(out);
  return out;
}

/// self = op(self, other) where the types and shapes allow to write at once, else through compute.
template <class Op>
Tensor &binaryInPlace(const char *name, const Op &op, const Tensor &self, const Tensor &other,
                      ScalarType type, const std::function<Tensor(const Tensor &)> &compute) {
  OperationScope scope(name, "_");
  TORCH_CHECK(canCast(type, self.scalar_type()), "result type ", type,
              " can't be cast to the desired output type ", self.scalar_type());
  DimVector shape = broadcastShapes(self.sizes(), other.sizes());
  TORCH_CHECK(self.sizes() == IntArrayRef(shape), "output with shape ", toText(self.sizes()),
              " doesn't match the broadcast shape ", toText(shape));
  checkDevices(self, {&other});
  checkNoPartialOverlap(self, other);
  return changeInPlace(
      self, other,
      [&] {
        if (type == self.scalar_type() && type != ScalarType::Bool)
          apply(name, op, self, self, other);
        else
          copyInto(self, compute(self));
      },
      compute);
}

ScalarType typeOf(const Tensor &a, const Tensor &b) { return resultType({&a, &b}); }

/// Integers divide to floating point.
ScalarType quotientType(const Tensor &a, const Tensor &b) {
  ScalarType type = typeOf(a, b);
  return isFloatingType(type) ? type : get_default_dtype_as_scalartype();
}

/// Operations with a number as their second operand have nodes of another name.
const char *nodeName(const Tensor &b, const char *withTensor, const char *withNumber) {
  return implOf(b).isWrappedNumber ? withNumber : withTensor;
}

bool isOne(const Scalar &value) { return value.toDouble() == 1; }

void refuseBools(const Tensor &a, const Tensor &b) {
  bool first = a.scalar_type() == ScalarType::Bool, second = b.scalar_type() == ScalarType::Bool;
  TORCH_CHECK_NOT_IMPLEMENTED(
      !first || !second, "Subtraction, the `-` operator, with two bool tensors is not supported. "
                         "Use the `^` or `logical_xor()` operator instead.");
  TORCH_CHECK_NOT_IMPLEMENTED(
      !first && !second,
      "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
      "invert a mask, use the `~` or `logical_not()` operator instead.");
}

void checkAlpha(ScalarType type, const Scalar &alpha) {
  TORCH_CHECK(!alpha.isBoolean() || type == ScalarType::Bool,
              "Boolean alpha only supported for Boolean results.");
  TORCH_CHECK(isFloatingType(type) || alpha.isIntegral(true),
              "For integral input tensors, argument alpha must not be a floating point number.");
}

void refuseIntegerQuotient(const Tensor &a, const Tensor &b) {
  TORCH_CHECK(
      isFloatingType(a.scalar_type()) || isFloatingType(b.scalar_type()),
      "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
      "perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
      "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer "
      "inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv "
      "behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all "
      "dtypes.");
}

} // namespace

void addInto(const Tensor &target, const Tensor &source) {
  apply("add", Add{1}, target, target, source);
}

Tensor sumTo(const Tensor &self, IntArrayRef sizes) {
  DimVector dims;
  int64_t lead = self.dim() - static_cast<int64_t>(sizes.size());
  for (int64_t d = 0; d < self.dim(); ++d)
    if (d < lead || (sizes[d - lead] == 1 && self.size(d) != 1))
      dims.push_back(d);
  Tensor result = dims.empty() ? self : self.sum(dims, true);
  return lead > 0 ? result.reshape(sizes) : result;
}

Tensor add(const Tensor &a, const Tensor &b, const Scalar &alpha) {
  checkAlpha(typeOf(a, b), alpha);
  return record(binary("add", Add{alpha.toDouble()}, a, b, typeOf(a, b)),
                nodeName(b, "AddBackward0", "AddBackward1"), {a, b}, {},
                [alpha](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {g, !c.needs(1) ? Tensor() : isOne(alpha) ? g : g * alpha};
                });
}

Tensor sub(const Tensor &a, const Tensor &b, const Scalar &alpha) {
  refuseBools(a, b);
  checkAlpha(typeOf(a, b), alpha);
  return record(binary("sub", Sub{alpha.toDouble()}, a, b, typeOf(a, b)),
                nodeName(b, "SubBackward0", "SubBackward1"), {a, b}, {},
                [alpha](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {g, c.needs(1) ? g * -alpha : Tensor()};
                });
}

Tensor mul(const Tensor &a, const Tensor &b) {
  return record(
      binary("mul", Mul(), a, b, typeOf(a, b)), nodeName(b, "MulBackward0", "MulBackward1"), {a, b},
      {mustRecord({b}) ? a : Tensor(), mustRecord({a}) ? b : Tensor()},
      [](const Tensor &g, const GradientContext &c) -> Gradients {
        return {c.needs(0) ? g * c.saved(1) : Tensor(), c.needs(1) ? g * c.saved(0) : Tensor()};
      });
}

Tensor div(const Tensor &a, const Tensor &b) {
  return record(binary("div", Div(), a, b, quotientType(a, b)),
                nodeName(b, "DivBackward0", "DivBackward1"), {a, b},
                {mustRecord({b}) ? a : Tensor(), b},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor divisor = c.saved(1);
                  return {c.needs(0) ? g / divisor : Tensor(),
                          c.needs(1) ? -g * ((c.saved(0) / divisor) / divisor) : Tensor()};
                });
}

namespace {

/// The type of a quotient that is whole for integers, which throw where they are divided by 0.
ScalarType wholeQuotientType(const Tensor &a, const Tensor &b) {
  ScalarType type = typeOf(a, b);
  if (isIntegralType(type, false)) {
    Tensor divisors = castValues(b, type).expand(broadcastShapes(a.sizes(), b.sizes()));
    TORCH_CHECK(divisors.ne(0).all().item<bool>(), "ZeroDivisionError");
  }
  return type;
}

/// use(op) with the division of a rounding mode.
template <class Use> decltype(auto) withRounding(std::string_view mode, Use use) {
  if (mode == "floor")
    return use(DivFloor());
  TORCH_CHECK(mode == "trunc",
              "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '",
              std::string(mode), "'");
  return use(DivTrunc());
}

/// A remainder, for which `mode` rounds the quotient.
template <class Op>
Tensor rest(const char *name, const char *node, const Op &op, const Tensor &a, const Tensor &b,
            const char *mode) {
  return record(binary(name, op, a, b, wholeQuotientType(a, b)), node, {a, b}, {a, b},
                [mode](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {g, c.needs(1) ? -g * c.saved(0).div(c.saved(1), mode) : Tensor()};
                });
}

} // namespace

Tensor div(const Tensor &a, const Tensor &b, optional<std::string_view> rounding) {
  if (!rounding)
    return div(a, b);
  Tensor quotient = withRounding(
      *rounding, [&](const auto &op) { return binary("div", op, a, b, wholeQuotientType(a, b)); });
  return record(quotient, nodeName(b, "DivBackward2", "DivBackward3"), {a, b}, {},
                [](const Tensor &g, const GradientContext &) -> Gradients {
                  return {zeros_like(g), zeros_like(g)};
                });
}

Tensor floor_divide(const Tensor &a, const Tensor &b) {
  return record(binary("floor_divide", DivFloor(), a, b, wholeQuotientType(a, b)),
                "torch::autograd::NotImplemented", {a, b}, {},
                [](const Tensor &, const GradientContext &) -> Gradients {
                  throw std::runtime_error("derivative for aten::floor_divide is not implemented");
                });
}

Tensor remainder(const Tensor &a, const Tensor &b) {
  return rest("remainder", nodeName(b, "RemainderBackward1", "RemainderBackward0"), Remainder(), a,
              b, "floor");
}

Tensor fmod(const Tensor &a, const Tensor &b) {
  return rest("fmod", nodeName(b, "FmodBackward1", "FmodBackward0"), Fmod(), a, b, "trunc");
}

Tensor pow(const Tensor &base, const Scalar &exponent) {
  if (Casting cast = autocast::widen(base, autocast::onCuda))
    return pow(cast(base), exponent);
  Tensor power = wrapNumber(exponent);
  ScalarType type = typeOf(base, power);
  TORCH_CHECK(isFloatingType(type) || exponent.toLong() >= 0,
              "Integers to negative integer powers are not allowed.");
  auto computed = [&] {
    double n = exponent.toDouble();
    if (n == 0)
      return full_like(base, 1, TensorOptions(type));
    if (n == 1)
      return castValues(base, type).detach().clone();
    return n == 2 ? binary("pow", Mul(), base, base, type)
                  : binary("pow", Pow(), base, power, type);
  };
  Tensor result = computed();
  return record(result, "PowBackward0", {base}, {base},
                [exponent](const Tensor &g, const GradientContext &c) -> Gradients {
                  double n = exponent.toDouble();
                  if (n == 0)
                    return {zeros_like(g)};
                  return {g * (exponent * c.saved(0).pow(n - 1))};
                });
}

Tensor pow(const Tensor &base, const Tensor &exponent) {
  if (Casting cast = autocast::widen(base, autocast::onCuda))
    return pow(cast(base), cast(exponent));
  Tensor result = binary("pow", Pow(), base, exponent, typeOf(base, exponent));
  return record(result, "PowBackward1", {base, exponent}, {base, exponent, result},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor x = c.saved(0), n = c.saved(1);
                  Tensor forBase, forExponent;
                  if (c.needs(0))
                    forBase = (g * (n * x.pow(n - 1))).masked_fill(n.eq(0), 0);
                  if (c.needs(1))
                    forExponent =
                        g * (c.saved(2) * x.log()).masked_fill(x.eq(0).logical_and(n.ge(0)), 0);
                  return {forBase, forExponent};
                });
}

namespace {

/// Equal operands share the gradient.
template <class Op>
Tensor extremum(const char *name, const char *node, const Op &op, const Tensor &a, const Tensor &b,
                bool larger) {
  return record(binary(name, op, a, b, typeOf(a, b)), node, {a, b}, {a, b},
                [larger](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor x = c.saved(0), y = c.saved(1);
                  Tensor shared = (g / 2).where(x.eq(y), g);
                  Tensor loses = larger ? x.lt(y) : x.gt(y), wins = larger ? x.gt(y) : x.lt(y);
                  return {shared.masked_fill(loses, 0), shared.masked_fill(wins, 0)};
                });
}

} // namespace

Tensor maximum(const Tensor &a, const Tensor &b) {
  return extremum("maximum", "MaximumBackward0", Maximum(), a, b, true);
}
Tensor minimum(const Tensor &a, const Tensor &b) {
  return extremum("minimum", "MinimumBackward0", Minimum(), a, b, false);
}

namespace {

template <class Op>
void applyTernary(const char *name, const Op &op, const Tensor &out, const Tensor &self,
                  const Tensor &a, const Tensor &b) {
  ScalarType type = out.scalar_type();
  Tensor x = castValues(self, type), y = castValues(a, type), z = castValues(b, type);
  dispatchNumbers(type, name, [&]<class T>() { elementwise<T, T, T, T>(op, out, x, y, z); });
}

template <class Op>
Tensor ternary(const char *name, const Op &op, const Tensor &self, const Tensor &a,
               const Tensor &b) {
  OperationScope scope(name);
  DimVector shape = broadcastShapes(self.sizes(), broadcastShapes(a.sizes(), b.sizes()));
  Tensor out = makeResult(shape, resultType({&self, &a, &b}), {&self, &a, &b});
  applyTernary(name, op, out, self, a, b);
  RecordFunction::setResult(out);
  return out;
}

template <class Op>
Tensor &ternaryInPlace(const char *name, const Op &op, const Tensor &self, const Tensor &a,
                       const Tensor &b, const std::function<Tensor(const Tensor &)> &compute) {
  OperationScope scope(name, "_");
  ScalarType type = resultType({&self, &a, &b});
  TORCH_CHECK(canCast(type, self.scalar_type()), "result type ", type,
              " can't be cast to the desired output type ", self.scalar_type());
  DimVector shape = broadcastShapes(self.sizes(), broadcastShapes(a.sizes(), b.sizes()));
  TORCH_CHECK(self.sizes() == IntArrayRef(shape), "output with shape ", toText(self.sizes()),
              " doesn't match the broadcast shape ", toText(shape));
  checkDevices(self, {&a, &b});
  checkNoPartialOverlap(self, a);
  checkNoPartialOverlap(self, b);
  return changeInPlace(
      self, {{a, b}},
      [&] {
        if (type == self.scalar_type())
          applyTernary(name, op, self, self, a, b);
        else
          copyInto(self, compute(self));
      },
      compute);
}

} // namespace

Tensor addcmul(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &value) {
  return record(ternary("addcmul", AddProduct{value.toDouble()}, self, a, b), "AddcmulBackward0",
                {self, a, b}, {a, b},
                [value](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {g, c.needs(1) ? g * (c.saved(1) * value) : Tensor(),
                          c.needs(2) ? g * (c.saved(0) * value) : Tensor()};
                });
}

Tensor addcdiv(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &value) {
  refuseIntegerQuotient(a, b);
  return record(ternary("addcdiv", AddQuotient{value.toDouble()}, self, a, b), "AddcdivBackward0",
                {self, a, b}, {a, b},
                [value](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor divisor = c.saved(1);
                  return {g, c.needs(1) ? g * (value / divisor) : Tensor(),
                          c.needs(2) ? -g * (value * c.saved(0) / (divisor * divisor)) : Tensor()};
                });
}

Tensor lerp(const Tensor &start, const Tensor &end, const Scalar &weight) {
  TORCH_CHECK(start.scalar_type() == end.scalar_type(), "expected dtype ",
              cppName(start.scalar_type()), " for `end` but got dtype ",
              cppName(end.scalar_type()));
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(start.scalar_type()),
                              "\"lerp_kernel_scalar\" not implemented for '", start.scalar_type(),
                              "'");
  return record(binary("lerp", Lerp{weight.toDouble()}, start, end, start.scalar_type()),
                "LerpBackward0", {start, end}, {},
                [w = weight.toDouble()](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {c.needs(0) ? g * (1 - w) : Tensor(), c.needs(1) ? g * w : Tensor()};
                });
}

Tensor lerp(const Tensor &start, const Tensor &end, const Tensor &weight) {
  TORCH_CHECK(start.scalar_type() == end.scalar_type(), "expected dtype ",
              cppName(start.scalar_type()), " for `end` but got dtype ",
              cppName(end.scalar_type()));
  TORCH_CHECK(start.scalar_type() == weight.scalar_type() || weight.dim() == 0, "expected dtype ",
              cppName(start.scalar_type()), " for `weight` but got dtype ",
              cppName(weight.scalar_type()));
  Tensor apart = end - start;
  return where(weight.detach().abs().lt(0.5), start + weight * apart, end - apart * (1 - weight));
}

Tensor operator+(const Tensor &a, const Tensor &b) { return add(a, b); }
Tensor operator+(const Tensor &a, const Scalar &b) { return a.add(b); }
Tensor operator+(const Scalar &a, const Tensor &b) { return b.add(a); }
Tensor operator-(const Tensor &a, const Tensor &b) { return sub(a, b); }
Tensor operator-(const Tensor &a, const Scalar &b) { return a.sub(b); }
// A number in front takes the type of the tensor, where that has not room for it too.
Tensor operator-(const Scalar &a, const Tensor &b) {
  return b.is_floating_point() ? sub(wrapNumber(a.toDouble()), b) : full_like(b, a).sub_(b);
}
Tensor rsub(const Tensor &a, const Scalar &b, const Scalar &alpha) { return b - a * alpha; }
Tensor operator*(const Tensor &a, const Tensor &b) { return mul(a, b); }
Tensor operator*(const Tensor &a, const Scalar &b) { return a.mul(b); }
Tensor operator*(const Scalar &a, const Tensor &b) { return b.mul(a); }
Tensor operator/(const Tensor &a, const Tensor &b) { return div(a, b); }
Tensor operator/(const Tensor &a, const Scalar &b) { return a.div(b); }
Tensor operator/(const Scalar &a, const Tensor &b) {
  return b.is_floating_point() ? div(wrapNumber(a.toDouble()), b) : full_like(b, a).div_(b);
}

Tensor Tensor::add(const Tensor &other, const Scalar &alpha) const {
  return runtime::add(*this, other, alpha);
}
Tensor Tensor::add(const Scalar &other, const Scalar &alpha) const {
  return runtime::add(*this, wrapNumber(other), alpha);
}
Tensor &Tensor::add_(const Tensor &other, const Scalar &alpha) const {
  checkAlpha(typeOf(*this, other), alpha);
  return binaryInPlace("add", Add{alpha.toDouble()}, *this, other, typeOf(*this, other),
                       [&](const Tensor &self) { return runtime::add(self, other, alpha); });
}
Tensor &Tensor::add_(const Scalar &other, const Scalar &alpha) const {
  return add_(wrapNumber(other), alpha);
}
Tensor Tensor::sub(const Tensor &other, const Scalar &alpha) const {
  return runtime::sub(*this, other, alpha);
}
Tensor Tensor::sub(const Scalar &other, const Scalar &alpha) const {
  return runtime::sub(*this, wrapNumber(other), alpha);
}
Tensor &Tensor::sub_(const Tensor &other, const Scalar &alpha) const {
  refuseBools(*this, other);
  checkAlpha(typeOf(*this, other), alpha);
  return binaryInPlace("sub", Sub{alpha.toDouble()}, *this, other, typeOf(*this, other),
                       [&](const Tensor &self) { return runtime::sub(self, other, alpha); });
}
Tensor &Tensor::sub_(const Scalar &other, const Scalar &alpha) const {
  return sub_(wrapNumber(other), alpha);
}
Tensor Tensor::mul(const Tensor &other) const { return runtime::mul(*this, other); }
Tensor Tensor::mul(const Scalar &other) const { return runtime::mul(*this, wrapNumber(other)); }
Tensor &Tensor::mul_(const Tensor &other) const {
  return binaryInPlace("mul", Mul(), *this, other, typeOf(*this, other),
                       [&](const Tensor &self) { return runtime::mul(self, other); });
}
Tensor &Tensor::mul_(const Scalar &other) const { return mul_(wrapNumber(other)); }
Tensor Tensor::div(const Tensor &other) const { return runtime::div(*this, other); }
Tensor Tensor::div(const Scalar &other) const { return runtime::div(*this, wrapNumber(other)); }
Tensor &Tensor::div_(const Tensor &other) const {
  return binaryInPlace("div", Div(), *this, other, quotientType(*this, other),
                       [&](const Tensor &self) { return runtime::div(self, other); });
}
Tensor &Tensor::div_(const Scalar &other) const { return div_(wrapNumber(other)); }
Tensor Tensor::div(const Tensor &other, optional<std::string_view> rounding) const {
  return runtime::div(*this, other, rounding);
}
Tensor Tensor::div(const Scalar &other, optional<std::string_view> rounding) const {
  return div(wrapNumber(other), rounding);
}
Tensor &Tensor::div_(const Tensor &other, optional<std::string_view> rounding) const {
  if (!rounding)
    return div_(other);
  return withRounding(*rounding, [&](const auto &op) -> Tensor & {
    return binaryInPlace("div", op, *this, other, wholeQuotientType(*this, other),
                         [&](const Tensor &self) { return self.div(other, rounding); });
  });
}
Tensor &Tensor::div_(const Scalar &other, optional<std::string_view> rounding) const {
  return div_(wrapNumber(other), rounding);
}
Tensor Tensor::floor_divide(const Tensor &other) const {
  return runtime::floor_divide(*this, other);
}
Tensor Tensor::floor_divide(const Scalar &other) const { return floor_divide(wrapNumber(other)); }
Tensor &Tensor::floor_divide_(const Tensor &other) const {
  return binaryInPlace("floor_divide", DivFloor(), *this, other, wholeQuotientType(*this, other),
                       [&](const Tensor &self) { return self.floor_divide(other); });
}
Tensor &Tensor::floor_divide_(const Scalar &other) const {
  return floor_divide_(wrapNumber(other));
}
Tensor Tensor::remainder(const Tensor &other) const { return runtime::remainder(*this, other); }
Tensor Tensor::remainder(const Scalar &other) const { return remainder(wrapNumber(other)); }
Tensor &Tensor::remainder_(const Tensor &other) const {
  return binaryInPlace("remainder", Remainder(), *this, other, wholeQuotientType(*this, other),
                       [&](const Tensor &self) { return self.remainder(other); });
}
Tensor &Tensor::remainder_(const Scalar &other) const { return remainder_(wrapNumber(other)); }
Tensor Tensor::fmod(const Tensor &other) const { return runtime::fmod(*this, other); }
Tensor Tensor::fmod(const Scalar &other) const { return fmod(wrapNumber(other)); }
Tensor &Tensor::fmod_(const Tensor &other) const {
  return binaryInPlace("fmod", Fmod(), *this, other, wholeQuotientType(*this, other),
                       [&](const Tensor &self) { return self.fmod(other); });
}
Tensor &Tensor::fmod_(const Scalar &other) const { return fmod_(wrapNumber(other)); }
Tensor Tensor::pow(const Scalar &exponent) const { return runtime::pow(*this, exponent); }
Tensor Tensor::pow(const Tensor &exponent) const { return runtime::pow(*this, exponent); }
Tensor &Tensor::pow_(const Scalar &exponent) const {
  return changeInPlace(*this, {}, [&](const Tensor &self) { return self.pow(exponent); });
}
Tensor &Tensor::pow_(const Tensor &exponent) const {
  return changeInPlace(*this, exponent, [&](const Tensor &self) { return self.pow(exponent); });
}
Tensor Tensor::addcmul(const Tensor &a, const Tensor &b, const Scalar &value) const {
  return runtime::addcmul(*this, a, b, value);
}
Tensor &Tensor::addcmul_(const Tensor &a, const Tensor &b, const Scalar &value) const {
  return ternaryInPlace("addcmul", AddProduct{value.toDouble()}, *this, a, b,
                        [&](const Tensor &self) { return self.addcmul(a, b, value); });
}
Tensor Tensor::addcdiv(const Tensor &a, const Tensor &b, const Scalar &value) const {
  return runtime::addcdiv(*this, a, b, value);
}
Tensor &Tensor::addcdiv_(const Tensor &a, const Tensor &b, const Scalar &value) const {
  refuseIntegerQuotient(a, b);
  return ternaryInPlace("addcdiv", AddQuotient{value.toDouble()}, *this, a, b,
                        [&](const Tensor &self) { return self.addcdiv(a, b, value); });
}
Tensor Tensor::lerp(const Tensor &end, const Scalar &weight) const {
  return runtime::lerp(*this, end, weight);
}
Tensor &Tensor::lerp_(const Tensor &end, const Scalar &weight) const {
  return changeInPlace(*this, end, [&](const Tensor &self) { return self.lerp(end, weight); });
}
Tensor Tensor::lerp(const Tensor &end, const Tensor &weight) const {
  return runtime::lerp(*this, end, weight);
}
Tensor &Tensor::lerp_(const Tensor &end, const Tensor &weight) const {
  return changeInPlace(*this, {{end, weight}},
                       [&](const Tensor &self) { return self.lerp(end, weight); });
}
Tensor Tensor::maximum(const Tensor &other) const { return runtime::maximum(*this, other); }
Tensor Tensor::minimum(const Tensor &other) const { return runtime::minimum(*this, other); }

Tensor &add_out(Tensor &out, const Tensor &a, const Tensor &b, const Scalar &alpha) {
  TORCH_CHECK(!mustRecord({a, b}) && !mustRecord(out),
              "add(): functions with out=... arguments don't support automatic differentiation, "
              "but one of the arguments requires grad.");
  copyInto(out, a.add(b, alpha));
  return out;
}

} // namespace gradtidy::runtime
