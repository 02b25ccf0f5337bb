// Determinants, inverses and factors of square matrices, or of batches (.., n, n) of them; of
// float32 and float64, computed by the host and by simulated devices.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

Tensor linalg_det(const Tensor &a);
/// Throws where a matrix is singular, as solving does.
Tensor linalg_inv(const Tensor &a);
/// The x of a x = b, for matrices (.., n, k) or vectors (n) or (.., n) with as many batches as `a`.
Tensor linalg_solve(const Tensor &a, const Tensor &b);
/// The lower triangle whose product with its transpose is `a`, of which the lower triangle is read;
/// with `upper` its transpose. Throws unless `a` is positive definite.
Tensor linalg_cholesky(const Tensor &a, bool upper = false);

/// The sign of the determinant and the logarithm of its size.
std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor &a);

inline std::tuple<Tensor, Tensor> slogdet(const Tensor &a) { return linalg_slogdet(a); }
/// NaN where the determinant is negative.
Tensor logdet(const Tensor &a);
inline Tensor det(const Tensor &a) { return linalg_det(a); }
inline Tensor inverse(const Tensor &a) { return linalg_inv(a); }
inline Tensor cholesky(const Tensor &a, bool upper = false) { return linalg_cholesky(a, upper); }

} // namespace gradtidy::runtime
