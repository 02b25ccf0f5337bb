// Products made of those of Linear.h, and norms of vectors and matrices.
#pragma once

#include "../core/Tensor.h"

#include <string_view>

namespace gradtidy::runtime {

/// Sums of products over the last dimensions.
Tensor inner(const Tensor &a, const Tensor &b);
Tensor vdot(const Tensor &a, const Tensor &b);
/// Sums of products over some dimensions of `a` and as many of `b`.
Tensor tensordot(const Tensor &a, const Tensor &b, IntArrayRef dimsOfA, IntArrayRef dimsOfB);
/// Kronecker's product: b times each element of a.
Tensor kron(const Tensor &a, const Tensor &b);
Tensor matrix_power(const Tensor &self, int64_t n);
inline Tensor linalg_matrix_power(const Tensor &self, int64_t n) { return matrix_power(self, n); }
/// The product of several matrices.
Tensor chain_matmul(TensorList matrices);
/// beta self + alpha times the outer product of vectors.
Tensor addr(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta = 1,
            const Scalar &alpha = 1);
/// beta self + alpha times the sum of the products of a batch.
Tensor addbmm(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta = 1,
              const Scalar &alpha = 1);
inline Tensor linalg_matmul(const Tensor &a, const Tensor &b) { return a.matmul(b); }

/// The norm of order `ord` of what some (or all) dimensions hold as a vector.
Tensor linalg_vector_norm(const Tensor &self, const Scalar &ord = 2,
                          optional<IntArrayRef> dims = nullopt, bool keepdim = false,
                          optional<ScalarType> type = nullopt);
/// Of matrices: "fro", or with a number the largest (negative: smallest) sum of sizes in a row
/// (infinity) or column (1).
Tensor linalg_matrix_norm(const Tensor &self, std::string_view ord = "fro",
                          IntArrayRef dims = {-2, -1}, bool keepdim = false);
Tensor linalg_matrix_norm(const Tensor &self, const Scalar &ord, IntArrayRef dims = {-2, -1},
                          bool keepdim = false);
/// Of a vector, or of a matrix where an order and two dimensions are given.
Tensor linalg_norm(const Tensor &self, const optional<Scalar> &ord = nullopt,
                   optional<IntArrayRef> dims = nullopt, bool keepdim = false);
Tensor dist(const Tensor &a, const Tensor &b, const Scalar &p = 2);

} // namespace gradtidy::runtime
