#include "Comparisons.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Copies.h"
#include "kernels/Elementwise.h"

#include <cmath>

namespace gradtidy::runtime {
namespace {

#define GRADTIDY_RELATION(Name, relation)                                                          \
  struct Name {                                                                                    \
    template <class T> GRADTIDY_HOST_DEVICE bool operator()(T a, T b) const {                      \
      return a relation b;                                                                         \
    }                                                                                              \
  };
GRADTIDY_RELATION(Eq, ==)
GRADTIDY_RELATION(Ne, !=)
GRADTIDY_RELATION(Lt, <)
GRADTIDY_RELATION(Le, <=)
GRADTIDY_RELATION(Gt, >)
GRADTIDY_RELATION(Ge, >=)
GRADTIDY_RELATION(And, &&)
GRADTIDY_RELATION(Or, ||)
#undef GRADTIDY_RELATION

struct Xor {
  template <class T> GRADTIDY_HOST_DEVICE bool operator()(T a, T b) const {
    return (a != T(0)) != (b != T(0));
  }
};

struct Choose {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

template <class Op>
Tensor compare(const char *name, const Op &op, const Tensor &a, const Tensor &b) {
  OperationScope scope(name);
  ScalarType type = resultType({&a, &b});
  Tensor out = makeResult(broadcastShapes(a.sizes(), b.sizes()), ScalarType::Bool, {&a, &b});
  Tensor left = castValues(a, type), right = castValues(b, type);
  dispatchAll(type, name, [&]<class T>() { elementwise<bool, T, T>(op, out, left, right); });
  return out;
}

} // namespace

Tensor eq(const Tensor &a, const Tensor &b) { return compare("eq", Eq(), a, b); }
Tensor ne(const Tensor &a, const Tensor &b) { return compare("ne", Ne(), a, b); }
Tensor lt(const Tensor &a, const Tensor &b) { return compare("lt", Lt(), a, b); }
Tensor le(const Tensor &a, const Tensor &b) { return compare("le", Le(), a, b); }
Tensor gt(const Tensor &a, const Tensor &b) { return compare("gt", Gt(), a, b); }
Tensor ge(const Tensor &a, const Tensor &b) { return compare("ge", Ge(), a, b); }
Tensor logical_and(const Tensor &a, const Tensor &b) { return compare("logical_and", And(), a, b); }
Tensor logical_or(const Tensor &a, const Tensor &b) { return compare("logical_or", Or(), a, b); }
Tensor logical_xor(const Tensor &a, const Tensor &b) { return compare("logical_xor", Xor(), a, b); }

Tensor where(const Tensor &condition, const Tensor &a, const Tensor &b) {
  OperationScope scope("where");
  TORCH_CHECK(condition.scalar_type() == ScalarType::Bool,
              "where expected condition to be a boolean tensor, but got a tensor with dtype ",
              condition.scalar_type());
  ScalarType type = resultType({&a, &b});
  DimVector shape = broadcastShapes(condition.sizes(), broadcastShapes(a.sizes(), b.sizes()));
  Tensor out = makeResult(shape, type, {&condition, &a, &b});
  Tensor left = castValues(a, type), right = castValues(b, type);
  dispatchAll(type, "where", [&]<class T>() {
    elementwise<T, bool, T, T>(Choose(), out, condition, left, right);
  });
  return record(out, "WhereBackward0", {a, b}, {condition},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor condition = c.saved(0);
                  return {c.needs(0) ? where(condition, g, 0) : Tensor(),
                          c.needs(1) ? where(condition, 0, g) : Tensor()};
                });
}
Tensor where(const Tensor &condition, const Scalar &a, const Tensor &b) {
  return where(condition, wrapNumber(a), b);
}
Tensor where(const Tensor &condition, const Tensor &a, const Scalar &b) {
  return where(condition, a, wrapNumber(b));
}
Tensor where(const Tensor &condition, const Scalar &a, const Scalar &b) {
  return where(condition, wrapNumber(a), wrapNumber(b));
}

std::vector<Tensor> where(const Tensor &condition) {
  return (condition.dim() == 0 ? condition.unsqueeze(0) : condition).nonzero().unbind(1);
}

bool equal(const Tensor &a, const Tensor &b) {
  return a.sizes() == b.sizes() && eq(a, b).all().item<bool>();
}

Tensor isclose(const Tensor &a, const Tensor &b, double rtol, double atol, bool equalNan) {
  NoGradGuard guard;
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), a.scalar_type(), " did not match ",
              b.scalar_type());
  Tensor x = a.to(kDouble), y = b.to(kDouble);
  Tensor close =
      eq(x, y).logical_or((x - y).isfinite().logical_and(le((x - y).abs(), atol + rtol * y.abs())));
  return equalNan ? close.logical_or(x.isnan().logical_and(y.isnan())) : close;
}

bool allclose(const Tensor &a, const Tensor &b, double rtol, double atol, bool equalNan) {
  return isclose(a, b, rtol, atol, equalNan).all().item<bool>();
}

Tensor Tensor::eq(const Tensor &other) const { return runtime::eq(*this, other); }
Tensor Tensor::eq(const Scalar &other) const { return runtime::eq(*this, wrapNumber(other)); }
Tensor Tensor::ne(const Tensor &other) const { return runtime::ne(*this, other); }
Tensor Tensor::ne(const Scalar &other) const { return runtime::ne(*this, wrapNumber(other)); }
Tensor Tensor::lt(const Tensor &other) const { return runtime::lt(*this, other); }
Tensor Tensor::lt(const Scalar &other) const { return runtime::lt(*this, wrapNumber(other)); }
Tensor Tensor::le(const Tensor &other) const { return runtime::le(*this, other); }
Tensor Tensor::le(const Scalar &other) const { return runtime::le(*this, wrapNumber(other)); }
Tensor Tensor::gt(const Tensor &other) const { return runtime::gt(*this, other); }
Tensor Tensor::gt(const Scalar &other) const { return runtime::gt(*this, wrapNumber(other)); }
Tensor Tensor::ge(const Tensor &other) const { return runtime::ge(*this, other); }
Tensor Tensor::ge(const Scalar &other) const { return runtime::ge(*this, wrapNumber(other)); }
Tensor Tensor::logical_and(const Tensor &other) const { return runtime::logical_and(*this, other); }
Tensor Tensor::logical_or(const Tensor &other) const { return runtime::logical_or(*this, other); }
Tensor Tensor::logical_xor(const Tensor &other) const { return runtime::logical_xor(*this, other); }
// In place: the truth value as a number of the type that is there.

Tensor &Tensor::eq_(const Tensor &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.eq(other).to(x.scalar_type()); });
}
Tensor &Tensor::eq_(const Scalar &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.eq(other).to(x.scalar_type()); });
}
Tensor &Tensor::ne_(const Tensor &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.ne(other).to(x.scalar_type()); });
}
Tensor &Tensor::ne_(const Scalar &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.ne(other).to(x.scalar_type()); });
}
Tensor &Tensor::lt_(const Tensor &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.lt(other).to(x.scalar_type()); });
}
Tensor &Tensor::lt_(const Scalar &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.lt(other).to(x.scalar_type()); });
}
Tensor &Tensor::le_(const Tensor &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.le(other).to(x.scalar_type()); });
}
Tensor &Tensor::le_(const Scalar &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.le(other).to(x.scalar_type()); });
}
Tensor &Tensor::gt_(const Tensor &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.gt(other).to(x.scalar_type()); });
}
Tensor &Tensor::gt_(const Scalar &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.gt(other).to(x.scalar_type()); });
}
Tensor &Tensor::ge_(const Tensor &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.ge(other).to(x.scalar_type()); });
}
Tensor &Tensor::ge_(const Scalar &other) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.ge(other).to(x.scalar_type()); });
}
Tensor &Tensor::logical_and_(const Tensor &other) const {
  return changeInPlace(*this, {},
                       [&](const Tensor &x) { return x.logical_and(other).to(x.scalar_type()); });
}
Tensor &Tensor::logical_or_(const Tensor &other) const {
  return changeInPlace(*this, {},
                       [&](const Tensor &x) { return x.logical_or(other).to(x.scalar_type()); });
}
Tensor &Tensor::logical_xor_(const Tensor &other) const {
  return changeInPlace(*this, {},
                       [&](const Tensor &x) { return x.logical_xor(other).to(x.scalar_type()); });
}

Tensor Tensor::where(const Tensor &condition, const Tensor &other) const {
  return runtime::where(condition, *this, other);
}
bool Tensor::equal(const Tensor &other) const { return runtime::equal(*this, other); }
bool Tensor::allclose(const Tensor &other, double rtol, double atol, bool equalNan) const {
  return runtime::allclose(*this, other, rtol, atol, equalNan);
}

} // namespace gradtidy::runtime
