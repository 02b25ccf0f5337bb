#include "Sorting.h"
#include "../autograd/Record.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Factories.h"
#include "Indexing.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "SelectedElements.h"
#include "Views.h"
#include "kernels/Reduce.h"
#include "kernels/SortKey.h"
#if defined(GRADTIDY_KERNELS)
#include "../backends/cuda/CudaSort.h"
#endif

#include <algorithm>
#include <limits>
#include <numeric>

namespace gradtidy::runtime {
namespace {

/// The positions of `values` in their order; equal ones stay in the order they have.
template <class T> void sortRow(const T *values, int64_t *order, int64_t length, bool descending) {
  std::iota(order, order + length, 0);
  // NaN counts as the largest value.
  auto less = [&](int64_t a, int64_t b) {
    T x = values[a], y = values[b];
    return x < y || (x == x && y != y);
  };
  std::sort(order, order + length, [&](int64_t a, int64_t b) {
    bool before = descending ? less(b, a) : less(a, b);
    bool after = descending ? less(a, b) : less(b, a);
    return before || (!after && a < b);
  });
}

/// The positions of the elements of each row in their order.
Tensor orderOfRows(const Tensor &rows, bool descending) {
  Tensor order = makeEmpty(rows.sizes(), ScalarType::Long, rows.device());
  int64_t length = rows.size(-1), count = length == 0 ? 0 : rows.numel() / length;
#if defined(GRADTIDY_KERNELS)
  if (auto stream = cudaStreamOf(rows.device())) {
    Tensor keys = makeEmpty(rows.sizes(), ScalarType::Long, rows.device());
    dispatchAll(rows.scalar_type(), "sort",
                [&]<class T>() { elementwise<int64_t, T>(SortKey{descending}, keys, rows); });
    orderByCuda(order, keys, *stream);
    return order;
  }
#endif
  dispatchAll(rows.scalar_type(), "sort", [&]<class T>() {
    launch("sort", rows.device(), detail::workOf<T, int64_t>(rows.numel()),
           [=, first = kernelData<T>(rows), firstOrder = kernelData<int64_t>(order)] {
             for (int64_t r = 0; r < count; ++r)
               sortRow(first + r * length, firstOrder + r * length, length, descending);
           });
  });
  return order;
}

} // namespace

std::tuple<Tensor, Tensor> sort(const Tensor &self, int64_t dim, bool descending) {
  OperationScope scope("sort");
  dim = wrapDim(dim, self.dim());
  if (self.dim() == 0)
    return {self.clone(), zeros({}, self.options().dtype(kLong))};
  Tensor indices = orderOfRows(self.detach().transpose(dim, -1).contiguous(), descending);
  Tensor order = empty_like(self.detach(), kLong), values = empty_like(self.detach());
  copyInto(order, indices.transpose(dim, -1));
  copyInto(values, gather(self.detach(), dim, order));
  return selected("SortBackward0", self, dim, values, order);
}

std::tuple<Tensor, Tensor> topk(const Tensor &self, int64_t k, int64_t dim, bool largest, bool) {
  OperationScope scope("topk");
  TORCH_CHECK_NOT_IMPLEMENTED(self.scalar_type() != ScalarType::Bool,
                              "topk does not support bool dtypes on ",
                              self.is_cpu() ? "CPU" : "CUDA");
  int64_t length = self.dim() == 0 ? 1 : self.size(dim);
  TORCH_CHECK(k >= 0 && k <= length, "selected index k out of range");
  auto [values, indices] = sort(self, dim, largest);
  if (self.dim() == 0)
    return {values, indices};
  return selected("TopkBackward0", self, wrapDim(dim, self.dim()),
                  packed(values.detach().narrow(dim, 0, k)), packed(indices.narrow(dim, 0, k)));
}

namespace {

/// The position of the median of a row, or of its first NaN; equal values stay in their order.
template <class T> int64_t medianPlace(const T *values, std::vector<int64_t> &order) {
  const T *end = values + order.size();
  if (const T *nan = std::find_if(values, end, [](T x) { return x != x; }); nan != end)
    return nan - values;
  std::iota(order.begin(), order.end(), 0);
  auto middle = order.begin() + (static_cast<int64_t>(order.size()) - 1) / 2;
  std::nth_element(order.begin(), middle, order.end(), [&](int64_t a, int64_t b) {
    return values[a] < values[b] || (values[a] == values[b] && a < b);
  });
  return *middle;
}

} // namespace

namespace {

/// The position of the median of each row, as a column.
Tensor medianPlaces(const Tensor &rows) {
  int64_t length = rows.dim() == 0 ? 1 : rows.size(-1);
#if defined(GRADTIDY_KERNELS)
  if (cudaStreamOf(rows.device())) {
    dispatchNumbers(rows.scalar_type(), "median_out", []<class T>() {});
    if (rows.dim() == 0)
      return zeros({}, rows.options().dtype(kLong).requires_grad(false));
    Tensor nan = rows.isnan(), middle = orderOfRows(rows, false).narrow(-1, (length - 1) / 2, 1);
    return where(nan.any(-1, true), nan.to(kByte).argmax(-1, true), middle);
  }
#endif
  DimVector shape = rows.sizes().vec();
  if (!shape.empty())
    shape.back() = 1;
  Tensor places = makeEmpty(shape, ScalarType::Long, rows.device());
  dispatchNumbers(rows.scalar_type(), "median_out", [&]<class T>() {
    launch("median", rows.device(), detail::workOf<T, int64_t>(rows.numel()),
           [=, values = kernelData<T>(rows), out = kernelData<int64_t>(places),
            count = places.numel()] {
             std::vector<int64_t> order(static_cast<std::size_t>(length));
             for (int64_t r = 0; r < count; ++r)
               out[r] = medianPlace(values + r * length, order);
           });
  });
  return places;
}

} // namespace

std::tuple<Tensor, Tensor> median(const Tensor &self, int64_t dim, bool keepdim) {
  OperationScope scope("median");
  ReducedDims dims = reducedDims(self.sizes(), dim);
  dim = wrapDim(dim, self.dim());
  int64_t length = self.dim() == 0 ? 1 : self.size(dim);
  TORCH_CHECK_INDEX(length > 0, "median(): Expected reduction dim ", dim,
                    " to have non-zero size.");
  Tensor places = medianPlaces(self.detach().transpose(dim, -1).contiguous());
  Tensor indices = makeEmpty(dims.kept, ScalarType::Long, self.device());
  copyInto(indices, places.transpose(dim, -1));
  return selected("MedianBackward1", self, dim,
                  shaped(gather(self.detach(), dim, indices), dims, keepdim),
                  shaped(indices, dims, keepdim));
}

Tensor median(const Tensor &self) {
  OperationScope scope("median");
  Tensor flat = self.detach().reshape({-1});
  Tensor result = flat.numel() > 0 ? std::get<0>(median(flat, 0))
                                   : full({}, std::numeric_limits<double>::quiet_NaN(),
                                          self.options().dtype(kDouble))
                                         .to(self.scalar_type());
  return record(result, "MedianBackward0", {self}, {self, result},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {shared(g, c.saved(0).detach(), c.saved(1).detach(), {})};
                });
}

Tensor Tensor::median() const { return runtime::median(*this); }
std::tuple<Tensor, Tensor> Tensor::median(int64_t dim, bool keepdim) const {
  return runtime::median(*this, dim, keepdim);
}
std::tuple<Tensor, Tensor> Tensor::topk(int64_t k, int64_t dim, bool largest, bool sorted) const {
  return runtime::topk(*this, k, dim, largest, sorted);
}
std::tuple<Tensor, Tensor> Tensor::sort(int64_t dim, bool descending) const {
  return runtime::sort(*this, dim, descending);
}
Tensor Tensor::argsort(int64_t dim, bool descending) const {
  return std::get<1>(sort(dim, descending));
}

} // namespace gradtidy::runtime
