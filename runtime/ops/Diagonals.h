// Diagonals and triangles of matrices.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// A view of the elements whose column is their row plus `offset`, as the last dimension.
inline Tensor diagonal(const Tensor &self, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) {
  return self.diagonal(offset, dim1, dim2);
}
/// The inverse: the last dimension as a diagonal of zeros otherwise.
Tensor diag_embed(const Tensor &self, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);
/// The matrix with this vector as a diagonal, or a copy of a diagonal of this matrix.
Tensor diag(const Tensor &self, int64_t offset = 0);
Tensor trace(const Tensor &self);
Tensor tril(const Tensor &self, int64_t diagonal = 0);
Tensor triu(const Tensor &self, int64_t diagonal = 0);

} // namespace gradtidy::runtime
