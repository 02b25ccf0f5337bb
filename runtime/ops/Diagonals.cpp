#include "Diagonals.h"
#include "../autograd/Record.h"
#include "../core/TensorImpl.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Factories.h"
#include "Indexing.h"
#include "Reductions.h"
#include "Views.h"

#include <algorithm>
#include <cstdlib>

namespace gradtidy::runtime {
namespace {

using C = const GradientContext &;
using G = const Tensor &;

} // namespace

Tensor Tensor::diagonal(int64_t offset, int64_t dim1, int64_t dim2) const {
  dim1 = wrapDim(dim1, dim());
  dim2 = wrapDim(dim2, dim());
  TORCH_CHECK(dim1 != dim2, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  int64_t rowStart = std::max<int64_t>(-offset, 0), columnStart = std::max<int64_t>(offset, 0);
  int64_t length = std::max<int64_t>(std::min(size(dim1) - rowStart, size(dim2) - columnStart), 0);
  DimVector newSizes, newStrides;
  for (int64_t d = 0; d < dim(); ++d) {
    if (d == dim1 || d == dim2)
      continue;
    newSizes.push_back(size(d));
    newStrides.push_back(stride(d));
  }
  newSizes.push_back(length);
  newStrides.push_back(stride(dim1) + stride(dim2));
  int64_t start = length == 0
                      ? storage_offset()
                      : storage_offset() + rowStart * stride(dim1) + columnStart * stride(dim2);
  return recordView(*this, makeAlias(*this, newSizes, newStrides, start), "DiagonalBackward0",
                    [offset, dim1, dim2, from = sizes().vec()](G g, C) -> Gradients {
                      Tensor whole = zeros(from, g.options());
                      whole.diagonal(offset, dim1, dim2).copy_(g);
                      return {whole};
                    });
}

Tensor diag_embed(const Tensor &self, int64_t offset, int64_t dim1, int64_t dim2) {
  OperationScope scope("diag_embed");
  int64_t dims = self.dim() + 1, first = wrapDim(dim1, dims), second = wrapDim(dim2, dims);
  TORCH_CHECK(first != second, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  DimVector sizes = self.sizes().vec();
  int64_t length = self.size(-1) + std::abs(offset);
  sizes.pop_back();
  sizes.insert(sizes.begin() + std::min(first, second), length);
  sizes.insert(sizes.begin() + std::max(first, second), length);
  Tensor result = zeros(sizes, self.options().requires_grad(false));
  result.diagonal(offset, first, second).copy_(self.detach());
  return record(
      result, "DiagEmbedBackward0", {self}, {},
      [offset, first, second](G g, C) -> Gradients { return {g.diagonal(offset, first, second)}; });
}

Tensor diag(const Tensor &self, int64_t offset) {
  TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got ",
              self.dim(), "D");
  return self.dim() == 1 ? diag_embed(self, offset) : self.diagonal(offset).clone();
}

Tensor trace(const Tensor &self) {
  TORCH_CHECK(self.dim() == 2, "trace: expected a matrix, but got tensor with dim ", self.dim());
  TORCH_CHECK_NOT_IMPLEMENTED(self.scalar_type() != ScalarType::Bool,
                              "\"trace\" not implemented for 'Bool'");
  return self.diagonal().sum();
}

namespace {

Tensor triangle(const Tensor &self, int64_t diagonal, bool lower) {
  TORCH_CHECK(self.dim() >= 2, lower ? "tril" : "triu",
              ": input tensor must have at least 2 "
              "dimensions");
  Tensor rows = arange(self.size(-2), self.device()).unsqueeze(1);
  Tensor columns = arange(self.size(-1), self.device()).unsqueeze(0);
  Tensor drop = lower ? columns - rows > diagonal : columns - rows < diagonal;
  return self.contiguous().masked_fill(drop, 0);
}

} // namespace

Tensor tril(const Tensor &self, int64_t diagonal) { return triangle(self, diagonal, true); }
Tensor triu(const Tensor &self, int64_t diagonal) { return triangle(self, diagonal, false); }

Tensor Tensor::diag(int64_t offset) const { return runtime::diag(*this, offset); }
Tensor Tensor::diag_embed(int64_t offset, int64_t dim1, int64_t dim2) const {
  return runtime::diag_embed(*this, offset, dim1, dim2);
}
Tensor Tensor::trace() const { return runtime::trace(*this); }
Tensor Tensor::tril(int64_t diagonal) const { return runtime::tril(*this, diagonal); }
Tensor Tensor::triu(int64_t diagonal) const { return runtime::triu(*this, diagonal); }
Tensor &Tensor::tril_(int64_t diagonal) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.tril(diagonal); });
}
Tensor &Tensor::triu_(int64_t diagonal) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.triu(diagonal); });
}
Tensor &Tensor::fill_diagonal_(const Scalar &value) const {
  TORCH_CHECK(dim() >= 2, "dimensions must larger than 1");
  for (int64_t d = 1; d < dim(); ++d)
    TORCH_CHECK(dim() == 2 || size(d) == size(0),
                "all dimensions of input must be of equal length");
  // What has the same position in all dimensions.
  Tensor line = *this;
  while (line.dim() > 1)
    line = line.diagonal(0, 0, 1);
  line.fill_(value);
  return const_cast<Tensor &>(*this);
}

} // namespace gradtidy::runtime
