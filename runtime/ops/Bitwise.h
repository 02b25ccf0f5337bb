// Logic of the bits of integers, and of truth values.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

Tensor bitwise_and(const Tensor &a, const Tensor &b);
Tensor bitwise_or(const Tensor &a, const Tensor &b);
Tensor bitwise_xor(const Tensor &a, const Tensor &b);
Tensor bitwise_and(const Tensor &a, const Scalar &b);
Tensor bitwise_or(const Tensor &a, const Scalar &b);
Tensor bitwise_xor(const Tensor &a, const Scalar &b);
Tensor bitwise_left_shift(const Tensor &a, const Tensor &b);
Tensor bitwise_left_shift(const Tensor &a, const Scalar &b);
Tensor bitwise_right_shift(const Tensor &a, const Tensor &b);
Tensor bitwise_right_shift(const Tensor &a, const Scalar &b);
Tensor bitwise_not(const Tensor &x);

inline Tensor operator&(const Tensor &a, const Tensor &b) { return bitwise_and(a, b); }
inline Tensor operator|(const Tensor &a, const Tensor &b) { return bitwise_or(a, b); }
inline Tensor operator^(const Tensor &a, const Tensor &b) { return bitwise_xor(a, b); }
inline Tensor operator&(const Tensor &a, const Scalar &b) { return bitwise_and(a, b); }
inline Tensor operator|(const Tensor &a, const Scalar &b) { return bitwise_or(a, b); }
inline Tensor operator^(const Tensor &a, const Scalar &b) { return bitwise_xor(a, b); }

} // namespace gradtidy::runtime
