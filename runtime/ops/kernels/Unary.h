// Operations on one tensor whose result has its shape.
#pragma once

#include "../../core/RecordFunction.h"
#include "../Copies.h"
#include "Elementwise.h"

namespace gradtidy::runtime {

/// A function object of one number `x`.
#define GRADTIDY_FORMULA(Name, expression)                                                         \
  struct Name {                                                                                    \
    template <class T> GRADTIDY_HOST_DEVICE T operator()(T x) const {                              \
      return static_cast<T>(expression);                                                           \
    }                                                                                              \
  };

inline namespace GRADTIDY_LAUNCHERS {

/// op of each element, of floating point: integers become the default type.
template <class Op> Tensor floating(const char *name, const Op &op, const Tensor &x) {
  OperationScope scope(name);
  ScalarType type =
      isFloatingType(x.scalar_type()) ? x.scalar_type() : get_default_dtype_as_scalartype();
  Tensor in = castValues(x, type), out = makeResult(x.sizes(), type, {&in});
  dispatchFloating(type, name, [&]<class T>() { elementwise<T, T>(op, out, in); });
  RecordFunction::setResult(out);
  return out;
}

/// The same for functions that integers do not have.
template <class Op> Tensor floatingOnly(const char *name, const Op &op, const Tensor &x) {
  Tensor out = makeResult(x.sizes(), x.scalar_type(), {&x});
  dispatchFloating(x.scalar_type(), name, [&]<class T>() { elementwise<T, T>(op, out, x); });
  return out;
}

/// The same for numbers of all types, but no truth values.
template <class Op> Tensor number(const char *name, const Op &op, const Tensor &x) {
  OperationScope scope(name);
  Tensor out = makeResult(x.sizes(), x.scalar_type(), {&x});
  dispatchNumbers(x.scalar_type(), name, [&]<class T>() { elementwise<T, T>(op, out, x); });
  RecordFunction::setResult(out);
  return out;
}

} // namespace GRADTIDY_LAUNCHERS

} // namespace gradtidy::runtime
