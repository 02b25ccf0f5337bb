// Products of matrices and vectors.
#pragma once

#include "../core/Tensor.h"

#include <string_view>

namespace gradtidy::runtime {

Tensor mm(const Tensor &a, const Tensor &b);
Tensor bmm(const Tensor &a, const Tensor &b);
Tensor mv(const Tensor &a, const Tensor &b);
Tensor dot(const Tensor &a, const Tensor &b);
/// The product of vectors, matrices or batches of matrices, batches broadcast.
Tensor matmul(const Tensor &a, const Tensor &b);
Tensor addmm(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta = 1,
             const Scalar &alpha = 1);
/// relu(addmm()) or gelu(addmm()), which has no gradient. On CUDA devices, GELU is the one by tanh,
/// and what is not a number may become 0 in ReLU, as with LibTorch.
Tensor _addmm_activation(const Tensor &self, const Tensor &a, const Tensor &b,
                         const Scalar &beta = 1, const Scalar &alpha = 1, bool useGelu = false);
/// x weight^T + bias, `bias` may be undefined.
Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias = {});
/// gelu(linear(x, weight, bias), "tanh"), one kernel where a device can do that.
Tensor linearTanhGelu(const Tensor &x, const Tensor &weight, const Tensor &bias);
/// x1^T weight[k] x2 + bias[k] for each k, over the last dimensions of x1 and x2.
Tensor bilinear(const Tensor &x1, const Tensor &x2, const Tensor &weight, const Tensor &bias = {});
Tensor outer(const Tensor &a, const Tensor &b);
inline Tensor ger(const Tensor &a, const Tensor &b) { return outer(a, b); }
/// beta self + alpha (a b) for a matrix a and a vector b.
Tensor addmv(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta = 1,
             const Scalar &alpha = 1);
/// The product that is at right angles to both, along a dimension of three (without `dim` the first
/// such).
Tensor cross(const Tensor &a, const Tensor &b, optional<int64_t> dim = nullopt);
Tensor linalg_cross(const Tensor &a, const Tensor &b, int64_t dim = -1);
/// The p-norms of all differences of a row of `a` (.., N, D) and one of `b` (.., M, D).
Tensor cdist(const Tensor &a, const Tensor &b, double p = 2);

/// beta self + alpha (a b) for batches of matrices.
Tensor baddbmm(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta = 1,
               const Scalar &alpha = 1);
/// Einstein's sum over products: letters that the result lacks are summed over, as in
/// einsum("bij,bjk->bik", {a, b}). "..." stands for all dimensions without a letter, which are
/// broadcast.
Tensor einsum(std::string_view equation, TensorList operands);

} // namespace gradtidy::runtime
