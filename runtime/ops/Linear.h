// Products of matrices and vectors.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

Tensor mm(const Tensor &a, const Tensor &b);
Tensor bmm(const Tensor &a, const Tensor &b);
Tensor mv(const Tensor &a, const Tensor &b);
Tensor dot(const Tensor &a, const Tensor &b);
/// The product of vectors, matrices or batches of matrices, batches broadcast.
Tensor matmul(const Tensor &a, const Tensor &b);
Tensor addmm(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta = 1,
             const Scalar &alpha = 1);
/// x weight^T + bias, `bias` may be undefined.
Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias = {});
Tensor outer(const Tensor &a, const Tensor &b);

} // namespace gradtidy::runtime
