// Comparisons, truth values and choices by them.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

Tensor eq(const Tensor &a, const Tensor &b);
Tensor ne(const Tensor &a, const Tensor &b);
Tensor lt(const Tensor &a, const Tensor &b);
Tensor le(const Tensor &a, const Tensor &b);
Tensor gt(const Tensor &a, const Tensor &b);
Tensor ge(const Tensor &a, const Tensor &b);
Tensor logical_and(const Tensor &a, const Tensor &b);
Tensor logical_or(const Tensor &a, const Tensor &b);
Tensor logical_xor(const Tensor &a, const Tensor &b);

/// a where `condition` holds, b elsewhere.
Tensor where(const Tensor &condition, const Tensor &a, const Tensor &b);
Tensor where(const Tensor &condition, const Scalar &a, const Tensor &b);
Tensor where(const Tensor &condition, const Tensor &a, const Scalar &b);
Tensor where(const Tensor &condition, const Scalar &a, const Scalar &b);
/// Where the condition holds: the positions, one tensor for each dimension.
std::vector<Tensor> where(const Tensor &condition);

/// The same shape and the same values.
bool equal(const Tensor &a, const Tensor &b);
bool allclose(const Tensor &a, const Tensor &b, double rtol = 1e-5, double atol = 1e-8,
              bool equalNan = false);
Tensor isclose(const Tensor &a, const Tensor &b, double rtol = 1e-5, double atol = 1e-8,
               bool equalNan = false);

inline Tensor eq(const Tensor &a, const Scalar &b) { return a.eq(b); }
inline Tensor ne(const Tensor &a, const Scalar &b) { return a.ne(b); }
inline Tensor lt(const Tensor &a, const Scalar &b) { return a.lt(b); }
inline Tensor le(const Tensor &a, const Scalar &b) { return a.le(b); }
inline Tensor gt(const Tensor &a, const Scalar &b) { return a.gt(b); }
inline Tensor ge(const Tensor &a, const Scalar &b) { return a.ge(b); }

// Other names
inline Tensor not_equal(const Tensor &a, const Tensor &b) { return a.ne(b); }
inline Tensor not_equal(const Tensor &a, const Scalar &b) { return a.ne(b); }
inline Tensor less(const Tensor &a, const Tensor &b) { return a.lt(b); }
inline Tensor less(const Tensor &a, const Scalar &b) { return a.lt(b); }
inline Tensor less_equal(const Tensor &a, const Tensor &b) { return a.le(b); }
inline Tensor less_equal(const Tensor &a, const Scalar &b) { return a.le(b); }
inline Tensor greater(const Tensor &a, const Tensor &b) { return a.gt(b); }
inline Tensor greater(const Tensor &a, const Scalar &b) { return a.gt(b); }
inline Tensor greater_equal(const Tensor &a, const Tensor &b) { return a.ge(b); }
inline Tensor greater_equal(const Tensor &a, const Scalar &b) { return a.ge(b); }

inline Tensor operator==(const Tensor &a, const Tensor &b) { return eq(a, b); }
inline Tensor operator==(const Tensor &a, const Scalar &b) { return a.eq(b); }
inline Tensor operator!=(const Tensor &a, const Tensor &b) { return ne(a, b); }
inline Tensor operator!=(const Tensor &a, const Scalar &b) { return a.ne(b); }
inline Tensor operator<(const Tensor &a, const Tensor &b) { return lt(a, b); }
inline Tensor operator<(const Tensor &a, const Scalar &b) { return a.lt(b); }
inline Tensor operator<=(const Tensor &a, const Tensor &b) { return le(a, b); }
inline Tensor operator<=(const Tensor &a, const Scalar &b) { return a.le(b); }
inline Tensor operator>(const Tensor &a, const Tensor &b) { return gt(a, b); }
inline Tensor operator>(const Tensor &a, const Scalar &b) { return a.gt(b); }
inline Tensor operator>=(const Tensor &a, const Tensor &b) { return ge(a, b); }
inline Tensor operator>=(const Tensor &a, const Scalar &b) { return a.ge(b); }
inline Tensor operator==(const Scalar &a, const Tensor &b) { return b.eq(a); }
inline Tensor operator!=(const Scalar &a, const Tensor &b) { return b.ne(a); }
inline Tensor operator<(const Scalar &a, const Tensor &b) { return b.gt(a); }
inline Tensor operator<=(const Scalar &a, const Tensor &b) { return b.ge(a); }
inline Tensor operator>(const Scalar &a, const Tensor &b) { return b.lt(a); }
inline Tensor operator>=(const Scalar &a, const Tensor &b) { return b.le(a); }
inline Tensor operator!(const Tensor &a) { return a.logical_not(); }

} // namespace gradtidy::runtime
