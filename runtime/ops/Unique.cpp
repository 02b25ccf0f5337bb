#include "Unique.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Cumulative.h"
#include "Factories.h"
#include "Indexing.h"
#include "Reductions.h"
#include "Sorting.h"
#include "Views.h"

#include <stdexcept>

namespace gradtidy::runtime {
namespace {

using C = const GradientContext &;

/// Which slices along the first dimension of `ordered` differ from the one before.
Tensor isFirst(const Tensor &ordered) {
  int64_t count = ordered.size(0);
  Tensor first = ones({count}, TensorOptions(kBool).device(ordered.device()));
  if (count > 1) {
    Tensor differs = ordered.slice(0, 1).ne(ordered.slice(0, 0, count - 1));
    first.slice(0, 1).copy_(differs.reshape({count - 1, -1}).any(1));
  }
  return first;
}

struct Grouped {
  Tensor first, inverse, counts;
};

/// For the slices of `ordered`, which are those at `order` of another tensor: which are new, and of
/// those what the callers of unique want to know.
Grouped grouped(const Tensor &ordered, const Tensor &order) {
  Tensor first = isFirst(ordered), group = first.cumsum(0) - 1;
  Tensor inverse = empty_like(order).scatter_(0, order, group);
  Tensor sizes = zeros({first.sum().item<int64_t>()}, order.options());
  return {first, inverse, sizes.index_add_(0, group, ones_like(group))};
}

Tensor ifAsked(bool asked, const Tensor &x) { return asked ? x : empty({0}, x.options()); }

/// `values` of `self` as LibTorch gives them: with a node that has no gradient.
Tensor withoutDerivative(const char *name, const Tensor &values, const Tensor &self) {
  return record(values, "NotImplemented", {self}, {}, [name](const Tensor &, C) -> Gradients {
    throw std::runtime_error(concat("derivative for aten::", name, " is not implemented"));
  });
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor &self, bool, bool returnInverse,
                                            bool returnCounts) {
  OperationScope scope("_unique2");
  auto [ordered, order] = sort(self.detach().reshape({-1}));
  Grouped found = grouped(ordered, order);
  return {withoutDerivative("_unique2", ordered.masked_select(found.first), self),
          ifAsked(returnInverse, found.inverse.view(self.sizes())),
          ifAsked(returnCounts, found.counts)};
}

std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor &self, int64_t dim, bool, bool, bool) {
  OperationScope scope("unique_dim");
  Tensor slices = packed(movedim(self.detach(), dim, 0));
  int64_t count = slices.dim() == 0 ? 1 : slices.size(0);
  TORCH_CHECK(
      slices.numel() > 0 || count == 0,
      "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  Tensor flat = slices.reshape({count, count == 0 ? 0 : slices.numel() / count});
  // Sorted by the last element first: each of these sorts keeps the order of the one before.
  Tensor order = arange(count, self.device());
  for (int64_t column = flat.size(1) - 1; column >= 0; --column)
    order = order.index_select(0, flat.select(1, column).index_select(0, order).argsort());
  Grouped found = grouped(flat.index_select(0, order), order);
  Tensor values = slices.index_select(0, order.masked_select(found.first));
  return {withoutDerivative("unique_dim", movedim(values, 0, dim), self), found.inverse,
          found.counts};
}

std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor &self, bool returnInverse,
                                                      bool returnCounts, optional<int64_t> dim) {
  OperationScope scope("unique_consecutive");
  Tensor slices = dim ? movedim(self.detach(), *dim, 0) : self.detach().reshape({-1});
  Grouped found = grouped(slices, arange(slices.size(0), self.device()));
  Tensor values = slices.index({found.first});
  return {withoutDerivative("unique_consecutive", dim ? movedim(values, 0, *dim) : values, self),
          ifAsked(returnInverse, dim ? found.inverse : found.inverse.view(self.sizes())),
          ifAsked(returnCounts, found.counts)};
}

std::tuple<Tensor, Tensor> _unique(const Tensor &self, bool sorted, bool returnInverse) {
  auto [values, inverse, counts] = _unique2(self, sorted, returnInverse);
  return {values, inverse};
}

} // namespace gradtidy::runtime
