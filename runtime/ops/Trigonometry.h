// Functions of angles, their hyperbolic kin, and the inverses of both. Integers give floating
// point.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

Tensor sin(const Tensor &x);
Tensor cos(const Tensor &x);
Tensor tan(const Tensor &x);
Tensor asin(const Tensor &x);
Tensor acos(const Tensor &x);
Tensor atan(const Tensor &x);
Tensor sinh(const Tensor &x);
Tensor cosh(const Tensor &x);
Tensor asinh(const Tensor &x);
Tensor acosh(const Tensor &x);
Tensor atanh(const Tensor &x);

} // namespace gradtidy::runtime
