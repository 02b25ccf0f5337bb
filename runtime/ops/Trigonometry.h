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

// Other names
inline Tensor arcsin(const Tensor &x) { return asin(x); }
inline Tensor arccos(const Tensor &x) { return acos(x); }
inline Tensor arctan(const Tensor &x) { return atan(x); }
inline Tensor arcsinh(const Tensor &x) { return asinh(x); }
inline Tensor arccosh(const Tensor &x) { return acosh(x); }
inline Tensor arctanh(const Tensor &x) { return atanh(x); }

} // namespace gradtidy::runtime
