#include "TensorProducts.h"
#include "../core/RecordFunction.h"
#include "../core/Shape.h"
#include "Arithmetic.h"
#include "Factories.h"
#include "Linear.h"
#include "LinearAlgebra.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "Views.h"

#include <algorithm>
#include <cmath>

namespace gradtidy::runtime {

Tensor inner(const Tensor &a, const Tensor &b) {
  if (a.dim() == 0 || b.dim() == 0)
    return a * b;
  TORCH_CHECK(a.size(-1) == b.size(-1),
              "inner() the last dimension must match on both input "
              "tensors but got shapes ",
              toText(a.sizes()), " and ", toText(b.sizes()));
  return tensordot(a, b, -1, -1);
}

Tensor vdot(const Tensor &a, const Tensor &b) { return dot(a, b); }

Tensor tensordot(const Tensor &a, const Tensor &b, IntArrayRef dimsOfA, IntArrayRef dimsOfB) {
  OperationScope scope("tensordot");
  TORCH_CHECK(dimsOfA.size() == dimsOfB.size(), "both dimension lists should have same length");
  DimVector keptOfA, keptOfB, result, summedOfA, summedOfB;
  int64_t summed = 1, rows = 1, columns = 1;
  for (std::size_t i = 0; i < dimsOfA.size(); ++i) {
    summedOfA.push_back(wrapDim(dimsOfA[i], a.dim()));
    summedOfB.push_back(wrapDim(dimsOfB[i], b.dim()));
    TORCH_CHECK(a.size(summedOfA[i]) == b.size(summedOfB[i]),
                "contracted dimensions need to match, but first has size ", a.size(summedOfA[i]),
                " in dim ", summedOfA[i], " and second has size ", b.size(summedOfB[i]), " in dim ",
                summedOfB[i]);
    summed *= a.size(summedOfA[i]);
  }
  // As matrices: what is kept of each, and what is summed over.
  auto keep = [&](const Tensor &x, const DimVector &gone, DimVector &kept, int64_t &count) {
    for (int64_t d = 0; d < x.dim(); ++d)
      if (std::find(gone.begin(), gone.end(), d) == gone.end()) {
        kept.push_back(d);
        result.push_back(x.size(d));
        count *= x.size(d);
      }
  };
  keep(a, summedOfA, keptOfA, rows);
  keep(b, summedOfB, keptOfB, columns);
  keptOfA.insert(keptOfA.end(), summedOfA.begin(), summedOfA.end());
  keptOfB.insert(keptOfB.begin(), summedOfB.begin(), summedOfB.end());
  return mm(a.permute(keptOfA).reshape({rows, summed}),
            b.permute(keptOfB).reshape({summed, columns}))
      .reshape(result);
}

Tensor kron(const Tensor &a, const Tensor &b) {
  OperationScope scope("kron");
  int64_t dims = std::max(a.dim(), b.dim());
  DimVector shapeOfA, shapeOfB, result;
  for (int64_t d = -dims; d < 0; ++d) {
    int64_t sizeOfA = -d <= a.dim() ? a.size(d) : 1, sizeOfB = -d <= b.dim() ? b.size(d) : 1;
    shapeOfA.insert(shapeOfA.end(), {sizeOfA, 1});
    shapeOfB.insert(shapeOfB.end(), {1, sizeOfB});
    result.push_back(sizeOfA * sizeOfB);
  }
  return (a.reshape(shapeOfA) * b.reshape(shapeOfB)).reshape(result);
}

Tensor matrix_power(const Tensor &self, int64_t n) {
  OperationScope scope("matrix_power");
  TORCH_CHECK(self.dim() >= 2 && self.size(-1) == self.size(-2),
              "linalg.matrix_power: A must be batches of square matrices, but they are ",
              self.dim() < 2 ? 0 : self.size(-2), " by ", self.dim() < 2 ? 0 : self.size(-1),
              " matrices");
  if (n < 0)
    return matrix_power(linalg_inv(self), -n);
  Tensor result, square = self;
  for (; n > 0; n /= 2) {
    if (n % 2 == 1)
      result = result.defined() ? matmul(result, square) : square;
    if (n > 1)
      square = matmul(square, square);
  }
  return result.defined() ? result
                          : eye(self.size(-1), self.options()).expand(self.sizes()).clone();
}

Tensor chain_matmul(TensorList matrices) {
  TORCH_CHECK(!matrices.empty(), "chain_matmul(): Expected one or more matrices");
  Tensor product = matrices[0];
  for (std::size_t i = 1; i < matrices.size(); ++i)
    product = mm(product, matrices[i]);
  return product;
}

Tensor addr(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta,
            const Scalar &alpha) {
  return self * beta + outer(a, b) * alpha;
}

Tensor addbmm(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta,
              const Scalar &alpha) {
  TORCH_CHECK(a.dim() == 3 && b.dim() == 3, "batch", a.dim() == 3 ? 2 : 1, " must be a 3D tensor");
  TORCH_CHECK(a.size(0) == b.size(0), "batch1 and batch2 must have same number of batches, got ",
              a.size(0), " and ", b.size(0));
  TORCH_CHECK(a.size(2) == b.size(1), "Incompatible matrix sizes for bmm (", a.size(1), "x",
              a.size(2), " and ", b.size(1), "x", b.size(2), ")");
  // The batch is part of what is summed over.
  return addmm(self, a.transpose(0, 1).flatten(1), b.flatten(0, 1), beta, alpha);
}

Tensor linalg_vector_norm(const Tensor &self, const Scalar &ord, optional<IntArrayRef> dims,
                          bool keepdim, optional<ScalarType> type) {
  Tensor x = type ? self.to(*type) : self;
  TORCH_CHECK(x.is_floating_point(),
              "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ",
              x.scalar_type());
  return dims || keepdim ? norm(x, ord, dims.value_or(IntArrayRef()), keepdim) : norm(x, ord);
}

Tensor linalg_matrix_norm(const Tensor &self, std::string_view ord, IntArrayRef dims,
                          bool keepdim) {
  TORCH_CHECK(ord == "fro", "linalg.matrix_norm: Order ", std::string(ord), " not supported.");
  return linalg_vector_norm(self, 2, dims, keepdim);
}

Tensor linalg_matrix_norm(const Tensor &self, const Scalar &ord, IntArrayRef dims, bool keepdim) {
  double order = ord.toDouble();
  bool rows = std::isinf(order);
  TORCH_CHECK_NOT_IMPLEMENTED(rows || std::abs(order) == 1,
                              "linalg.matrix_norm: the runtime has no norm of order ", order,
                              ", which needs singular values");
  TORCH_CHECK(dims.size() == 2, "linalg.matrix_norm: dim must be a 2-tuple. Got ", toText(dims));
  // The dimension that is summed over stays for the extremum to find the other one.
  int64_t sum = wrapDim(dims[rows ? 1 : 0], self.dim());
  int64_t other = wrapDim(dims[rows ? 0 : 1], self.dim());
  Tensor sums = abs(self).sum(sum, true);
  Tensor result = order > 0 ? amax(sums, other, true) : amin(sums, other, true);
  return keepdim ? result : result.squeeze(std::max(sum, other)).squeeze(std::min(sum, other));
}

Tensor linalg_norm(const Tensor &self, const optional<Scalar> &ord, optional<IntArrayRef> dims,
                   bool keepdim) {
  bool matrix = ord && (dims ? dims->size() == 2 : self.dim() == 2);
  if (matrix)
    return linalg_matrix_norm(self, *ord, dims.value_or(IntArrayRef({-2, -1})), keepdim);
  return linalg_vector_norm(self, ord.value_or(2), dims, keepdim);
}

Tensor dist(const Tensor &a, const Tensor &b, const Scalar &p) { return norm(a - b, p); }

Tensor Tensor::inner(const Tensor &other) const { return runtime::inner(*this, other); }
Tensor Tensor::vdot(const Tensor &other) const { return runtime::vdot(*this, other); }
Tensor Tensor::kron(const Tensor &other) const { return runtime::kron(*this, other); }
Tensor Tensor::matrix_power(int64_t n) const { return runtime::matrix_power(*this, n); }
Tensor Tensor::dist(const Tensor &other, const Scalar &p) const {
  return runtime::dist(*this, other, p);
}

} // namespace gradtidy::runtime
