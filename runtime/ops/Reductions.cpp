#include "Reductions.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Factories.h"
#include "Indexing.h"
#include "Pointwise.h"
#include "Views.h"
#include "kernels/Reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

namespace gradtidy::runtime {

ReducedDims reducedDims(IntArrayRef sizes, IntArrayRef dims) {
  auto count = static_cast<int64_t>(sizes.size());
  ReducedDims result;
  result.folded.assign(sizes.size(), dims.empty());
  for (int64_t dim : dims) {
    int64_t d = wrapDim(dim, count);
    if (sizes.empty())
      continue;
    TORCH_CHECK(!result.folded[d], "dim ", d, " appears multiple times in the list of dims");
    result.folded[d] = true;
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    result.kept.push_back(result.folded[d] ? 1 : sizes[d]);
    if (!result.folded[d])
      result.dropped.push_back(sizes[d]);
  }
  return result;
}

detail::Fold detail::foldOf(const Tensor &out, const Tensor &in, const ReducedDims &dims) {
  Fold fold;
  for (std::size_t d = 0; d < dims.folded.size(); ++d) {
    if (dims.folded[d]) {
      fold.innerIn[fold.inner.add(in.sizes()[d])] = in.strides()[d];
    } else {
      int loop = fold.outer.add(in.sizes()[d]);
      fold.outerIn[loop] = in.strides()[d];
      fold.outerOut[loop] = out.strides()[d];
    }
  }
  return fold;
}

namespace {

template <class T> struct Product {
  GRADTIDY_HOST_DEVICE Accumulator<T> start() const { return 1; }
  GRADTIDY_HOST_DEVICE void add(Accumulator<T> &acc, MathType<T> value, int64_t) const {
    acc *= value;
  }
  GRADTIDY_HOST_DEVICE T result(Accumulator<T> acc) const { return static_cast<T>(acc); }
};

template <class T> struct EuclideanNorm {
  GRADTIDY_HOST_DEVICE double start() const { return 0; }
  GRADTIDY_HOST_DEVICE void add(double &acc, MathType<T> value, int64_t) const {
    acc += double(value) * double(value);
  }
  GRADTIDY_HOST_DEVICE T result(double acc) const { return static_cast<T>(std::sqrt(acc)); }
};

/// Where the largest (smallest) value is: the first one; NaN beats everything.
template <class T, bool largest> struct Extremum {
  struct Acc {
    MathType<T> value{};
    int64_t index = -1;
  };
  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, MathType<T> value, int64_t index) const {
    bool better = largest ? value > acc.value : value < acc.value;
    if (acc.index < 0 || (acc.value == acc.value && (better || value != value)))
      acc = {value, index};
  }
  GRADTIDY_HOST_DEVICE int64_t result(const Acc &acc) const { return acc.index; }
};

template <class T> struct All {
  GRADTIDY_HOST_DEVICE bool start() const { return true; }
  GRADTIDY_HOST_DEVICE void add(bool &acc, MathType<T> value, int64_t) const { acc = acc && value; }
  GRADTIDY_HOST_DEVICE bool result(bool acc) const { return acc; }
};

template <class T> struct Any {
  GRADTIDY_HOST_DEVICE bool start() const { return false; }
  GRADTIDY_HOST_DEVICE void add(bool &acc, MathType<T> value, int64_t) const { acc = acc || value; }
  GRADTIDY_HOST_DEVICE bool result(bool acc) const { return acc; }
};

/// The result with its folded dimensions of size one kept or dropped.
Tensor shaped(const Tensor &kept, const ReducedDims &dims, bool keepdim) {
  return keepdim ? kept : kept.view(dims.dropped);
}

/// A gradient of the reduced shape, seen with the folded dimensions again.
Tensor unfolded(const Tensor &gradient, IntArrayRef kept) { return gradient.reshape(kept); }

int64_t foldedCount(IntArrayRef sizes, const ReducedDims &dims) {
  int64_t count = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (dims.folded[d])
      count *= sizes[d];
  return count;
}

template <bool largest>
Tensor extremumIndex(const Tensor &self, optional<int64_t> dim, bool keepdim, const char *name) {
  OperationScope scope(name);
  if (!dim) {
    TORCH_CHECK(self.numel() > 0, name,
                "(): Expected reduction dim to be specified for input.numel() == 0.");
    Tensor flat = extremumIndex<largest>(self.detach().reshape({-1}), 0, false, name);
    return keepdim ? flat.view(DimVector(static_cast<std::size_t>(self.dim()), 1)) : flat;
  }
  ReducedDims dims = reducedDims(self.sizes(), *dim);
  if (self.dim() > 0)
    if (int64_t d = wrapDim(*dim, self.dim()); self.size(d) == 0)
      throw IndexError(concat(name, "(): Expected reduction dim ", d, " to have non-zero size."));
  Tensor out = makeEmpty(dims.kept, ScalarType::Long, self.device());
  dispatchAll(self.scalar_type(), name,
              [&]<class T>() { reduce<int64_t, T>(Extremum<T, largest>(), out, self, dims); });
  return shaped(out, dims, keepdim);
}

template <bool largest>
std::tuple<Tensor, Tensor> extremum(const Tensor &self, int64_t dim, bool keepdim,
                                    const char *name) {
  Tensor indices = extremumIndex<largest>(self, dim, true, name);
  Tensor values = self.dim() == 0 ? self.clone() : gather(self, dim, indices);
  if (keepdim || self.dim() == 0)
    return {values, self.dim() == 0 ? indices.view({}) : indices};
  return {values.squeeze(dim), indices.squeeze(dim)};
}

template <bool largest> Tensor extremumOfAll(const Tensor &self, const char *name) {
  TORCH_CHECK(self.numel() > 0, name,
              "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
              "reduction dim with the 'dim' argument.");
  Tensor index = extremumIndex<largest>(self, nullopt, false, name);
  Tensor value = makeEmpty({}, self.scalar_type(), self.device());
  copyInto(value, gather(self.detach().reshape({-1}), 0, index.view({1})).view({}));
  return record(value, largest ? "MaxBackward1" : "MinBackward1", {self}, {self, value},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  // Equal extrema share the gradient.
                  Tensor mask = c.saved(0).eq(c.saved(1));
                  return {(g / mask.sum()).where(mask, zeros({}, g.options()))};
                });
}

template <template <class> class Op> Tensor truth(const Tensor &self, const char *name) {
  OperationScope scope(name);
  ReducedDims dims = reducedDims(self.sizes(), {});
  Tensor out = makeEmpty(dims.kept, ScalarType::Bool, self.device());
  dispatchAll(self.scalar_type(), name,
              [&]<class T>() { reduce<bool, T>(Op<T>(), out, self, dims); });
  return out.view({});
}

} // namespace

Tensor sum(const Tensor &self, IntArrayRef dims, bool keepdim, optional<ScalarType> type) {
  OperationScope scope("sum");
  ScalarType from = self.scalar_type();
  ScalarType to = type ? *type : isFloatingType(from) ? from : ScalarType::Long;
  ReducedDims folded = reducedDims(self.sizes(), dims);
  Tensor in = castValues(self, to), out = makeEmpty(folded.kept, to, self.device());
  dispatchAll(to, "sum", [&]<class T>() { reduce<T, T>(Sum<T>(), out, in, folded); });
  return record(shaped(out, folded, keepdim), dims.empty() ? "SumBackward0" : "SumBackward1",
                {self}, {},
                [kept = folded.kept, sizes = self.sizes().vec()](
                    const Tensor &g, const GradientContext &) -> Gradients {
                  return {unfolded(g, kept).expand(sizes)};
                });
}
Tensor sum(const Tensor &self, optional<ScalarType> type) { return sum(self, {}, false, type); }

Tensor mean(const Tensor &self, IntArrayRef dims, bool keepdim, optional<ScalarType> type) {
  OperationScope scope("mean");
  ScalarType to = type.value_or(self.scalar_type());
  TORCH_CHECK(isFloatingType(to),
              "mean(): could not infer output dtype. Input dtype must be either a floating point "
              "or complex dtype. Got: ",
              to);
  if (isReducedFloatingType(to)) // the sum may be too large
    return mean(self, dims, keepdim, kFloat).to(to);
  ReducedDims folded = reducedDims(self.sizes(), dims);
  auto count = static_cast<double>(foldedCount(self.sizes(), folded));
  Tensor total;
  {
    NoGradGuard guard;
    total = sum(self.detach(), dims, keepdim, to).div_(count);
  }
  return record(total, dims.empty() ? "MeanBackward0" : "MeanBackward1", {self}, {},
                [kept = folded.kept, sizes = self.sizes().vec(),
                 count](const Tensor &g, const GradientContext &) -> Gradients {
                  return {(unfolded(g, kept) / count).expand(sizes)};
                });
}
Tensor mean(const Tensor &self, optional<ScalarType> type) { return mean(self, {}, false, type); }

Tensor var(const Tensor &self, IntArrayRef dims, bool unbiased, bool keepdim) {
  OperationScope scope("var");
  TORCH_CHECK(isFloatingType(self.scalar_type()),
              "std and var only support floating point and complex dtypes");
  if (isReducedFloatingType(self.scalar_type()))
    return var(self.to(kFloat), dims, unbiased, keepdim).to(self.scalar_type());
  ReducedDims folded = reducedDims(self.sizes(), dims);
  int64_t count = foldedCount(self.sizes(), folded) - (unbiased ? 1 : 0);
  Tensor centred = self - mean(self, dims, true);
  return sum(centred * centred, dims, keepdim) / std::max<int64_t>(count, 0);
}
Tensor var(const Tensor &self, bool unbiased) { return var(self, {}, unbiased, false); }

Tensor std(const Tensor &self, IntArrayRef dims, bool unbiased, bool keepdim) {
  OperationScope scope("std");
  Tensor variance = var(self, dims, unbiased, keepdim);
  Tensor result;
  {
    NoGradGuard guard;
    result = variance.sqrt();
  }
  return record(result, "StdBackward0", {variance}, {result},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor deviation = c.saved(0);
                  return {(g / (deviation * 2)).masked_fill(deviation.eq(0), 0)};
                });
}
Tensor std(const Tensor &self, bool unbiased) { return std(self, {}, unbiased, false); }

Tensor prod(const Tensor &self) {
  OperationScope scope("prod");
  ScalarType from = self.scalar_type(), to = isFloatingType(from) ? from : ScalarType::Long;
  ReducedDims folded = reducedDims(self.sizes(), {});
  Tensor in = castValues(self, to), out = makeEmpty(folded.kept, to, self.device());
  dispatchNumbers(to, "prod", [&]<class T>() { reduce<T, T>(Product<T>(), out, in, folded); });
  return record(out.view({}), "ProdBackward0", {self}, {self},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  // The product of all others, which holds where an element is 0 too.
                  Tensor x = c.saved(0).reshape({-1}), n = arange(x.numel(), x.device());
                  Tensor others = x.unsqueeze(0)
                                      .expand({x.numel(), x.numel()})
                                      .masked_fill(n.unsqueeze(0).eq(n.unsqueeze(1)), 1);
                  std::vector<Tensor> products;
                  for (const Tensor &row : others.unbind())
                    products.push_back(prod(row));
                  return {g * (products.empty() ? x : stack(products)).view_as(c.saved(0))};
                });
}

Tensor max(const Tensor &self) { return extremumOfAll<true>(self, "max"); }
Tensor min(const Tensor &self) { return extremumOfAll<false>(self, "min"); }
std::tuple<Tensor, Tensor> max(const Tensor &self, int64_t dim, bool keepdim) {
  return extremum<true>(self, dim, keepdim, "max");
}
std::tuple<Tensor, Tensor> min(const Tensor &self, int64_t dim, bool keepdim) {
  return extremum<false>(self, dim, keepdim, "min");
}
Tensor max(const Tensor &self, const Tensor &other) { return maximum(self, other); }
Tensor min(const Tensor &self, const Tensor &other) { return minimum(self, other); }
Tensor argmax(const Tensor &self, optional<int64_t> dim, bool keepdim) {
  return extremumIndex<true>(self, dim, keepdim, "argmax");
}
Tensor argmin(const Tensor &self, optional<int64_t> dim, bool keepdim) {
  return extremumIndex<false>(self, dim, keepdim, "argmin");
}

Tensor norm(const Tensor &self, const Scalar &p, IntArrayRef dims, bool keepdim) {
  OperationScope scope("norm");
  TORCH_CHECK(isFloatingType(self.scalar_type()),
              "norm(): input dtype should be either floating point or complex. Got ",
              self.scalar_type(), " instead.");
  double order = p.toDouble();
  ReducedDims folded = reducedDims(self.sizes(), dims);
  if (std::isinf(order)) {
    Tensor result = self.abs();
    for (int64_t d = self.dim() - 1; d >= 0; --d)
      if (folded.folded[d])
        result = std::get<0>(order > 0 ? max(result, d, true) : min(result, d, true));
    return shaped(result, folded, keepdim);
  }
  if (order == 1)
    return sum(self.abs(), dims, keepdim);
  if (order != 2)
    return sum(self.abs().pow(order), dims, keepdim).pow(1 / order);
  Tensor out = makeEmpty(folded.kept, self.scalar_type(), self.device());
  dispatchFloating(self.scalar_type(), "norm",
                   [&]<class T>() { reduce<T, T>(EuclideanNorm<T>(), out, self, folded); });
  Tensor result = shaped(out, folded, keepdim);
  return record(result, "LinalgVectorNormBackward0", {self}, {self, result},
                [kept = folded.kept](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor length = unfolded(c.saved(1), kept);
                  Tensor scale = (unfolded(g, kept) / length).masked_fill(length.eq(0), 0);
                  return {c.saved(0) * scale};
                });
}
Tensor norm(const Tensor &self, const Scalar &p) { return norm(self, p, {}, false); }

Tensor all(const Tensor &self) { return truth<All>(self, "all"); }
Tensor any(const Tensor &self) { return truth<Any>(self, "any"); }

Tensor any(const Tensor &self, int64_t dim, bool keepdim) {
  return self.ne(0).to(kByte).sum(dim, keepdim).ne(0);
}
Tensor all(const Tensor &self, int64_t dim, bool keepdim) {
  return any(self.eq(0), dim, keepdim).logical_not();
}

namespace {

/// Equal extrema share their gradient.
Tensor extremumOver(const Tensor &self, IntArrayRef dims, bool keepdim, bool largest) {
  ReducedDims folded = reducedDims(self.sizes(), dims);
  Tensor kept = self.detach();
  for (int64_t d = 0; d < self.dim(); ++d)
    if (folded.folded[d])
      kept = std::get<0>(largest ? max(kept, d, true) : min(kept, d, true));
  kept = self.dim() == 0 ? self.detach().clone() : kept;
  kept = record(kept, largest ? "AmaxBackward0" : "AminBackward0", {self}, {self, kept},
                [dims = dims.vec()](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor chosen = c.saved(0).eq(c.saved(1)).to(g.scalar_type());
                  return {chosen / sum(chosen, dims, true) * g};
                });
  return shaped(kept, folded, keepdim);
}

} // namespace

Tensor amax(const Tensor &self, IntArrayRef dims, bool keepdim) {
  return extremumOver(self, dims, keepdim, true);
}
Tensor amin(const Tensor &self, IntArrayRef dims, bool keepdim) {
  return extremumOver(self, dims, keepdim, false);
}

Tensor cumsum(const Tensor &self, int64_t dim) {
  OperationScope scope("cumsum");
  if (isReducedFloatingType(self.scalar_type()))
    return cumsum(self.to(kFloat), dim).to(self.scalar_type());
  ScalarType type = isFloatingType(self.scalar_type()) ? self.scalar_type() : ScalarType::Long;
  Tensor result = castValues(self.detach(), type).clone();
  dim = wrapDim(dim, self.dim());
  {
    NoGradGuard guard;
    for (int64_t i = 1; self.dim() > 0 && i < self.size(dim); ++i)
      result.select(dim, i).add_(result.select(dim, i - 1));
  }
  return record(result, "CumsumBackward0", {self}, {},
                [dim](const Tensor &g, const GradientContext &) -> Gradients {
                  return {g.dim() == 0 ? g : g.flip(dim).cumsum(dim).flip(dim)};
                });
}

Tensor logsumexp(const Tensor &self, IntArrayRef dims, bool keepdim) {
  OperationScope scope("logsumexp");
  if (isReducedFloatingType(self.scalar_type()))
    return logsumexp(self.to(kFloat), dims, keepdim).to(self.scalar_type());
  Tensor peak = self.detach();
  ReducedDims folded = reducedDims(self.sizes(), dims);
  for (int64_t d = 0; d < self.dim(); ++d)
    if (folded.folded[d])
      peak = std::get<0>(max(peak, d, true));
  peak = peak.masked_fill(peak.abs().eq(std::numeric_limits<double>::infinity()), 0);
  Tensor result = sum((self - peak).exp(), dims, true).log() + peak;
  return shaped(result, folded, keepdim);
}

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

} // namespace

std::tuple<Tensor, Tensor> sort(const Tensor &self, int64_t dim, bool descending) {
  OperationScope scope("sort");
  dim = wrapDim(dim, self.dim());
  if (self.dim() == 0)
    return {self.clone(), zeros({}, self.options().dtype(kLong))};
  Tensor rows = self.detach().transpose(dim, -1).contiguous();
  Tensor indices = makeEmpty(rows.sizes(), ScalarType::Long, self.device());
  int64_t length = rows.size(-1), count = length == 0 ? 0 : rows.numel() / length;
  dispatchAll(self.scalar_type(), "sort", [&]<class T>() {
    launch(self.device(), detail::workOf<T, int64_t>(rows.numel()),
           [=, first = kernelData<T>(rows), firstOrder = kernelData<int64_t>(indices)] {
             for (int64_t r = 0; r < count; ++r)
               sortRow(first + r * length, firstOrder + r * length, length, descending);
           });
  });
  indices = indices.transpose(dim, -1).contiguous();
  return {gather(self, dim, indices), indices};
}

std::tuple<Tensor, Tensor> topk(const Tensor &self, int64_t k, int64_t dim, bool largest, bool) {
  OperationScope scope("topk");
  int64_t length = self.dim() == 0 ? 1 : self.size(dim);
  TORCH_CHECK(k >= 0 && k <= length, "selected index k out of range");
  auto [values, indices] = sort(self, dim, largest);
  if (self.dim() == 0)
    return {values, indices};
  return {values.narrow(dim, 0, k), indices.narrow(dim, 0, k)};
}

Tensor Tensor::sum(optional<ScalarType> type) const { return runtime::sum(*this, type); }
Tensor Tensor::sum(IntArrayRef dims, bool keepdim, optional<ScalarType> type) const {
  return runtime::sum(*this, dims, keepdim, type);
}
Tensor Tensor::mean(optional<ScalarType> type) const { return runtime::mean(*this, type); }
Tensor Tensor::mean(IntArrayRef dims, bool keepdim, optional<ScalarType> type) const {
  return runtime::mean(*this, dims, keepdim, type);
}
Tensor Tensor::var(bool unbiased) const { return runtime::var(*this, unbiased); }
Tensor Tensor::var(IntArrayRef dims, bool unbiased, bool keepdim) const {
  return runtime::var(*this, dims, unbiased, keepdim);
}
Tensor Tensor::std(bool unbiased) const { return runtime::std(*this, unbiased); }
Tensor Tensor::std(IntArrayRef dims, bool unbiased, bool keepdim) const {
  return runtime::std(*this, dims, unbiased, keepdim);
}
Tensor Tensor::prod() const { return runtime::prod(*this); }
Tensor Tensor::max() const { return runtime::max(*this); }
std::tuple<Tensor, Tensor> Tensor::max(int64_t dim, bool keepdim) const {
  return runtime::max(*this, dim, keepdim);
}
Tensor Tensor::min() const { return runtime::min(*this); }
std::tuple<Tensor, Tensor> Tensor::min(int64_t dim, bool keepdim) const {
  return runtime::min(*this, dim, keepdim);
}
Tensor Tensor::argmax(optional<int64_t> dim, bool keepdim) const {
  return runtime::argmax(*this, dim, keepdim);
}
Tensor Tensor::argmin(optional<int64_t> dim, bool keepdim) const {
  return runtime::argmin(*this, dim, keepdim);
}
Tensor Tensor::norm(const Scalar &p) const { return runtime::norm(*this, p); }
Tensor Tensor::norm(const Scalar &p, IntArrayRef dims, bool keepdim) const {
  return runtime::norm(*this, p, dims, keepdim);
}
Tensor Tensor::all() const { return runtime::all(*this); }
Tensor Tensor::any() const { return runtime::any(*this); }
Tensor Tensor::all(int64_t dim, bool keepdim) const { return runtime::all(*this, dim, keepdim); }
Tensor Tensor::any(int64_t dim, bool keepdim) const { return runtime::any(*this, dim, keepdim); }
Tensor Tensor::amax(IntArrayRef dims, bool keepdim) const {
  return runtime::amax(*this, dims, keepdim);
}
Tensor Tensor::amin(IntArrayRef dims, bool keepdim) const {
  return runtime::amin(*this, dims, keepdim);
}
Tensor Tensor::cumsum(int64_t dim) const { return runtime::cumsum(*this, dim); }
Tensor Tensor::logsumexp(IntArrayRef dims, bool keepdim) const {
  return runtime::logsumexp(*this, dims, keepdim);
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
