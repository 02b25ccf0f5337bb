#include "Bitwise.h"
#include "../autograd/Record.h"
#include "Copies.h"
#include "Factories.h"
#include "kernels/Elementwise.h"

#include <type_traits>

namespace gradtidy::runtime {
namespace {

#define GRADTIDY_BITS(Name, operation)                                                             \
  struct Name {                                                                                    \
    template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {                         \
      return static_cast<T>(a operation b);                                                        \
    }                                                                                              \
  };
GRADTIDY_BITS(And, &)
GRADTIDY_BITS(Or, |)
GRADTIDY_BITS(Xor, ^)
#undef GRADTIDY_BITS

// By more than there are bits, or less than none, everything is shifted out.

struct LeftShift {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    if (b < T(0) || static_cast<uint64_t>(b) >= 8 * sizeof(T))
      return 0;
    return static_cast<T>(static_cast<uint64_t>(a) << b);
  }
};
struct RightShift {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T a, T b) const {
    constexpr uint64_t most = 8 * sizeof(T) - std::is_signed_v<T>;
    bool out = b < T(0) || static_cast<uint64_t>(b) >= most;
    return static_cast<T>(static_cast<int64_t>(a) >> (out ? most : static_cast<uint64_t>(b)));
  }
};

struct Not {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_same_v<T, bool>)
      return !x;
    else
      return static_cast<T>(~x);
  }
};

/// dispatchAll for types whose bits have a meaning.
template <class F> void dispatchBits(ScalarType type, const char *operation, F &&f) {
  dispatchAll(type, operation, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      f.template operator()<T>();
    else
      throw NotImplementedError(concat("\"", operation, "_cpu\" not implemented for '", type, "'"));
  });
}

template <class Op> Tensor bits(const char *name, const Op &op, const Tensor &a, const Tensor &b) {
  OperationScope scope(name);
  ScalarType type = resultType({&a, &b});
  Tensor out = makeResult(broadcastShapes(a.sizes(), b.sizes()), type, {&a, &b});
  Tensor left = castValues(a, type), right = castValues(b, type);
  dispatchBits(type, name, [&]<class T>() { elementwise<T, T, T>(op, out, left, right); });
  return out;
}

} // namespace

Tensor bitwise_and(const Tensor &a, const Tensor &b) { return bits("bitwise_and", And(), a, b); }
Tensor bitwise_or(const Tensor &a, const Tensor &b) { return bits("bitwise_or", Or(), a, b); }
Tensor bitwise_xor(const Tensor &a, const Tensor &b) { return bits("bitwise_xor", Xor(), a, b); }
Tensor bitwise_and(const Tensor &a, const Scalar &b) { return bitwise_and(a, wrapNumber(b)); }
Tensor bitwise_or(const Tensor &a, const Scalar &b) { return bitwise_or(a, wrapNumber(b)); }
Tensor bitwise_xor(const Tensor &a, const Scalar &b) { return bitwise_xor(a, wrapNumber(b)); }

Tensor bitwise_left_shift(const Tensor &a, const Tensor &b) {
  return bits("lshift", LeftShift(), a, b);
}
Tensor bitwise_left_shift(const Tensor &a, const Scalar &b) {
  return bitwise_left_shift(a, wrapNumber(b));
}
Tensor bitwise_right_shift(const Tensor &a, const Tensor &b) {
  return bits("rshift", RightShift(), a, b);
}
Tensor bitwise_right_shift(const Tensor &a, const Scalar &b) {
  return bitwise_right_shift(a, wrapNumber(b));
}

Tensor bitwise_not(const Tensor &x) {
  OperationScope scope("bitwise_not");
  Tensor out = makeResult(x.sizes(), x.scalar_type(), {&x});
  dispatchBits(x.scalar_type(), "bitwise_not",
               [&]<class T>() { elementwise<T, T>(Not(), out, x); });
  return out;
}

Tensor Tensor::bitwise_and(const Tensor &other) const { return runtime::bitwise_and(*this, other); }
Tensor Tensor::bitwise_or(const Tensor &other) const { return runtime::bitwise_or(*this, other); }
Tensor Tensor::bitwise_xor(const Tensor &other) const { return runtime::bitwise_xor(*this, other); }
Tensor Tensor::bitwise_not() const { return runtime::bitwise_not(*this); }
Tensor &Tensor::operator&=(const Tensor &other) {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return runtime::bitwise_and(x, other); });
}
Tensor &Tensor::operator|=(const Tensor &other) {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return runtime::bitwise_or(x, other); });
}
Tensor &Tensor::operator^=(const Tensor &other) {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return runtime::bitwise_xor(x, other); });
}

} // namespace gradtidy::runtime
