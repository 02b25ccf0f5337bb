#include "Reductions.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Cumulative.h"
#include "Factories.h"
#include "Indexing.h"
#include "Pointwise.h"
#include "SelectedElements.h"
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

Tensor shaped(const Tensor &kept, const ReducedDims &dims, bool keepdim) {
  if (keepdim)
    return kept;
  DimVector strides;
  for (std::size_t d = 0; d < dims.folded.size(); ++d)
    if (!dims.folded[d])
      strides.push_back(kept.strides()[d]);
  return makeAlias(kept, dims.dropped, strides, 0);
}

namespace {

/// (sum |x|^p)^(1/p) and its limits: how many are not 0, the largest, the smallest.
template <class T> struct PowerNorm {
  using OneByOne = std::true_type;
  double p;
  GRADTIDY_HOST_DEVICE double start() const { return p < 0 && std::isinf(p) ? p * -1 : 0; }
  GRADTIDY_HOST_DEVICE void add(double &acc, MathType<T> value, int64_t) const {
    double x = std::abs(double(value));
    if (std::isinf(p))
      acc = acc != acc ? acc : (p > 0 ? x > acc : x < acc) || x != x ? x : acc;
    else
      acc += p == 0 ? x != 0 : p == 1 ? x : p == 2 ? x * x : std::pow(x, p);
  }
  GRADTIDY_HOST_DEVICE void join(double &acc, double other) const {
    if (std::isinf(p)) // of T then
      add(acc, static_cast<MathType<T>>(other), 0);
    else
      acc += other;
  }
  GRADTIDY_HOST_DEVICE T result(double acc) const {
    bool done = p == 0 || p == 1 || std::isinf(p);
    return static_cast<T>(done ? acc : p == 2 ? std::sqrt(acc) : std::pow(acc, 1 / p));
  }
};

/// The largest (smallest) value; NaN beats everything.
template <class T, bool largest> struct Peak {
  struct Acc {
    MathType<T> value{};
    bool any = false;
  };
  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, MathType<T> value, int64_t) const {
    bool better = largest ? value > acc.value : value < acc.value;
    if (!acc.any || (acc.value == acc.value && (better || value != value)))
      acc = {value, true};
  }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &other) const {
    if (other.any)
      add(acc, other.value, 0);
  }
  GRADTIDY_HOST_DEVICE T result(const Acc &acc) const { return static_cast<T>(acc.value); }
};

/// Where the largest (smallest) value is: the first one; NaN beats everything.
template <class T, bool largest> struct Extremum {
  using OneByOne = std::true_type;
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
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &other) const {
    const bool equal =
        acc.value == other.value || (acc.value != acc.value && other.value != other.value);
    if (other.index >= 0 && equal && other.index < acc.index)
      acc = other;
    else if (other.index >= 0)
      add(acc, other.value, other.index);
  }
  GRADTIDY_HOST_DEVICE int64_t result(const Acc &acc) const { return acc.index; }
};

template <class T> struct All {
  using OneByOne = std::true_type;
  GRADTIDY_HOST_DEVICE bool start() const { return true; }
  GRADTIDY_HOST_DEVICE void add(bool &acc, MathType<T> value, int64_t) const { acc = acc && value; }
  GRADTIDY_HOST_DEVICE void join(bool &acc, bool other) const { acc = acc && other; }
  GRADTIDY_HOST_DEVICE bool result(bool acc) const { return acc; }
};

template <class T> struct Any {
  using OneByOne = std::true_type;
  GRADTIDY_HOST_DEVICE bool start() const { return false; }
  GRADTIDY_HOST_DEVICE void add(bool &acc, MathType<T> value, int64_t) const { acc = acc || value; }
  GRADTIDY_HOST_DEVICE void join(bool &acc, bool other) const { acc = acc || other; }
  GRADTIDY_HOST_DEVICE bool result(bool acc) const { return acc; }
};

template <class T> struct Mean : Sum<T> {
  double count;
  GRADTIDY_HOST_DEVICE T result(Accumulator<T> acc) const { return static_cast<T>(acc / count); }
};

struct DivideBy {
  double divisor;
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x) const {
    return x / static_cast<T>(divisor);
  }
};

/// Calls f.operator()<Out, In>(in) for a fold of `self` into numbers of the type `to`. Numbers of
/// 16 bits are folded into float32 as they are.
template <class F> void dispatchFold(const char *name, const Tensor &self, ScalarType to, F &&f) {
  if (to == kFloat && isReducedFloatingType(self.scalar_type()))
    return dispatchFloating(self.scalar_type(), name,
                            [&]<class T>() { f.template operator()<MathType<T>, T>(self); });
  const Tensor in = castValues(self, to);
  dispatchAll(to, name, [&]<class T>() { f.template operator()<T, T>(in); });
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
    TORCH_CHECK_INDEX(self.numel() > 0, name,
                      "(): Expected reduction dim to be specified for input.numel() == 0.");
    Tensor flat = extremumIndex<largest>(self.detach().reshape({-1}), 0, false, name);
    DimVector ones(keepdim ? static_cast<std::size_t>(self.dim()) : 0, 1);
    return makeAlias(flat, ones, ones, 0);
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
  ReducedDims dims = reducedDims(self.sizes(), dim);
  Tensor indices = extremumIndex<largest>(self, dim, true, name);
  Tensor values = gather(self.detach(), dim, indices);
  return selected(largest ? "MaxBackward0" : "MinBackward0", self, wrapDim(dim, self.dim()),
                  shaped(values, dims, keepdim), shaped(indices, dims, keepdim));
}

/// The largest (smallest) values. Equal ones share the gradient, NaNs only if `nanEqual`.
template <bool largest>
Tensor extremumOver(const char *node, const Tensor &self, IntArrayRef dims, bool keepdim,
                    bool nanEqual = false) {
  ReducedDims folded = reducedDims(self.sizes(), dims);
  Tensor out = makeEmpty(folded.kept, self.scalar_type(), self.device());
  dispatchAll(self.scalar_type(), "amax",
              [&]<class T>() { reduce<T, T>(Peak<T, largest>(), out, self, folded); });
  Tensor result = shaped(out, folded, keepdim);
  return record(result, node, {self}, {self, result},
                [nanEqual, dims = dims.vec(),
                 kept = folded.kept](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor x = c.saved(0).detach(), peak = unfolded(c.saved(1).detach(), kept);
                  Tensor gradient = unfolded(g, kept);
                  if (nanEqual)
                    return {shared(gradient, x, peak, dims)};
                  Tensor chosen = x.eq(peak);
                  Tensor share = chosen.to(g.scalar_type()) / chosen.sum(dims, true);
                  return {gradient * share};
                });
}

template <bool largest> Tensor extremumOfAll(const Tensor &self, const char *name) {
  TORCH_CHECK(self.numel() > 0, name,
              "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
              "reduction dim with the 'dim' argument.");
  return extremumOver<largest>(largest ? "MaxBackward1" : "MinBackward1", self, {}, false, true);
}

template <template <class> class Op>
Tensor truth(const Tensor &self, IntArrayRef overDims, bool keepdim, const char *name) {
  OperationScope scope(name);
  ReducedDims dims = reducedDims(self.sizes(), overDims);
  bool bytes = self.scalar_type() == ScalarType::Byte; // they answer in their own type
  Tensor out = makeEmpty(dims.kept, bytes ? ScalarType::Byte : ScalarType::Bool, self.device());
  if (bytes)
    reduce<uint8_t, uint8_t>(Op<uint8_t>(), out, self, dims);
  else
    dispatchAll(self.scalar_type(), name,
                [&]<class T>() { reduce<bool, T>(Op<T>(), out, self, dims); });
  return shaped(out, dims, keepdim);
}

} // namespace

Tensor sum(const Tensor &self, IntArrayRef dims, bool keepdim, optional<ScalarType> type) {
  ScalarType from = self.scalar_type();
  if (Casting cast = autocast::widen(self, autocast::onCuda))
    return sum(self, dims, keepdim, !type && isReducedFloatingType(from) ? kFloat : type);
  OperationScope scope("sum");
  ScalarType to = type ? *type : isFloatingType(from) ? from : ScalarType::Long;
  ReducedDims folded = reducedDims(self.sizes(), dims);
  Tensor out = makeEmpty(folded.kept, to, self.device());
  dispatchFold("sum", self, to, [&]<class Out, class In>(const Tensor &in) {
    reduce<Out, In>(Sum<Out>(), out, in, folded);
  });
  return record(shaped(out, folded, keepdim), dims.empty() ? "SumBackward0" : "SumBackward1",
                {self}, {},
                [kept = folded.kept, sizes = self.sizes().vec()](
                    const Tensor &g, const GradientContext &) -> Gradients {
                  return {unfolded(g, kept).expand(sizes)};
                });
}
Tensor sum(const Tensor &self, optional<ScalarType> type) { return sum(self, {}, false, type); }

namespace {

// Each of these two is the gradient of the other.

Tensor meanOver(const char *node, const Tensor &self, const ReducedDims &folded, bool keepdim,
                ScalarType type);

/// Shares the gradient of a mean out among `sizes`.
Tensor sharedOut(const Tensor &g, IntArrayRef sizes, const ReducedDims &folded) {
  const Tensor given = unfolded(g, folded.kept);
  Tensor out = makeEmpty(sizes, g.scalar_type(), g.device());
  const auto count = static_cast<double>(foldedCount(sizes, folded));
  dispatchFloating(g.scalar_type(), "mean_backward",
                   [&]<class T>() { elementwise<T, T>(DivideBy{count}, out, given); });
  return record(out, "DivBackward1", {given}, {},
                [folded](const Tensor &outer, const GradientContext &) -> Gradients {
                  return {meanOver("MeanBackward1", outer, folded, true, outer.scalar_type())};
                });
}

Tensor meanOver(const char *node, const Tensor &self, const ReducedDims &folded, bool keepdim,
                ScalarType type) {
  const auto count = static_cast<double>(foldedCount(self.sizes(), folded));
  Tensor out = makeEmpty(folded.kept, type, self.device());
  dispatchFold("mean", self, type, [&]<class Out, class In>(const Tensor &in) {
    if constexpr (std::is_floating_point_v<MathType<Out>>)
      reduce<Out, In>(Mean<Out>{{}, count}, out, in, folded);
  });
  return record(
      shaped(out, folded, keepdim), node, {self}, {},
      [folded, sizes = self.sizes().vec()](const Tensor &g, const GradientContext &) -> Gradients {
        return {sharedOut(g, sizes, folded)};
      });
}

} // namespace

Tensor mean(const Tensor &self, IntArrayRef dims, bool keepdim, optional<ScalarType> type) {
  OperationScope scope("mean");
  ScalarType to = type.value_or(self.scalar_type());
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(to), "mean(): could not infer output dtype. ",
                              type ? "Optional" : "Input",
                              " dtype must be either a floating point or complex dtype. Got: ", to);
  if (isReducedFloatingType(to) && to != self.scalar_type()) // not rounded before they are summed
    return mean(self, dims, keepdim, kFloat).to(to);
  return meanOver(dims.empty() ? "MeanBackward0" : "MeanBackward1", self,
                  reducedDims(self.sizes(), dims), keepdim, to);
}
Tensor mean(const Tensor &self, optional<ScalarType> type) { return mean(self, {}, false, type); }

Tensor var(const Tensor &self, IntArrayRef dims, bool unbiased, bool keepdim) {
  OperationScope scope("var");
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(self.scalar_type()),
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

namespace {

/// The product of all other elements of each row along `dim`; no element divides, so it may be 0.
Tensor productOfOthers(const Tensor &x, int64_t dim) {
  int64_t rest = x.size(dim) - 1;
  if (rest < 1)
    return ones_like(x);
  Tensor one = ones_like(x.narrow(dim, 0, 1));
  Tensor before = cat({one, x.narrow(dim, 0, rest)}, dim).cumprod(dim);
  Tensor behind = cat({one, x.narrow(dim, 1, rest).flip(dim)}, dim).cumprod(dim).flip(dim);
  return before * behind;
}

Tensor productOver(const char *node, const Tensor &self, optional<int64_t> dim, bool keepdim,
                   optional<ScalarType> type) {
  OperationScope scope("prod");
  ScalarType from = self.scalar_type();
  ScalarType to = type ? *type : isFloatingType(from) ? from : ScalarType::Long;
  ReducedDims folded = reducedDims(self.sizes(), dim ? IntArrayRef(*dim) : IntArrayRef());
  Tensor in = castValues(self, to), out = makeEmpty(folded.kept, to, self.device());
  dispatchAll(to, "prod", [&]<class T>() { reduce<T, T>(Product<T>(), out, in, folded); });
  Tensor result = shaped(out, folded, keepdim);
  return record(result, node, {self}, {self, result},
                [dim, kept = folded.kept](const Tensor &g, const GradientContext &c) -> Gradients {
                  c.saved(1); // as LibTorch looks at the product
                  Tensor x = c.saved(0);
                  if (!dim || x.dim() == 0)
                    return {g * productOfOthers(x.reshape({-1}), 0).view_as(x)};
                  return {unfolded(g, kept) * productOfOthers(x, *dim)};
                });
}

} // namespace

Tensor prod(const Tensor &self, optional<ScalarType> type) {
  if (Casting cast = autocast::widen(self))
    return prod(cast(self), type);
  return productOver("ProdBackward0", self, nullopt, false, type);
}
Tensor prod(const Tensor &self, int64_t dim, bool keepdim, optional<ScalarType> type) {
  if (Casting cast = autocast::widen(self))
    return prod(cast(self), dim, keepdim, type);
  return productOver("ProdBackward1", self, dim, keepdim, type);
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
std::tuple<Tensor, Tensor> var_mean(const Tensor &self, bool unbiased) {
  return var_mean(self, {}, unbiased);
}
std::tuple<Tensor, Tensor> var_mean(const Tensor &self, IntArrayRef dims, bool unbiased,
                                    bool keepdim) {
  return {var(self, dims, unbiased, keepdim), mean(self, dims, keepdim)};
}
std::tuple<Tensor, Tensor> std_mean(const Tensor &self, bool unbiased) {
  return std_mean(self, {}, unbiased);
}
std::tuple<Tensor, Tensor> std_mean(const Tensor &self, IntArrayRef dims, bool unbiased,
                                    bool keepdim) {
  return {std(self, dims, unbiased, keepdim), mean(self, dims, keepdim)};
}

Tensor count_nonzero(const Tensor &self, IntArrayRef dims) { return self.ne(0).sum(dims); }
Tensor count_nonzero(const Tensor &self, optional<int64_t> dim) {
  return count_nonzero(self, dim ? IntArrayRef(*dim) : IntArrayRef());
}

namespace {

void refuseBool(const char *name, const Tensor &self) {
  TORCH_CHECK_NOT_IMPLEMENTED(self.scalar_type() != ScalarType::Bool, name,
                              "(): does not support bool input");
}

} // namespace

Tensor argmax(const Tensor &self, optional<int64_t> dim, bool keepdim) {
  refuseBool("argmax", self);
  return extremumIndex<true>(self, dim, keepdim, "argmax");
}
Tensor argmin(const Tensor &self, optional<int64_t> dim, bool keepdim) {
  refuseBool("argmin", self);
  return extremumIndex<false>(self, dim, keepdim, "argmin");
}

namespace {

/// The gradient of a p-norm by x, `norm` and `g` being of a shape that broadcasts to x's.
Tensor normGradient(const Tensor &g, const Tensor &x, double p, const Tensor &norm,
                    IntArrayRef dims) {
  if (p == 0)
    return {};
  if (p == 1)
    return sign(x) * g;
  if (p == 2)
    return x * (g / norm).masked_fill(norm.eq(0), 0);
  if (std::isinf(p)) {
    Tensor chosen = x.abs().eq(norm).logical_or(x.isnan().logical_and(norm.isnan()));
    return sign(x) * (g / chosen.sum(dims, true) * chosen);
  }
  if (p < 1)
    return sign(x) * x.abs().pow(p - 1).masked_fill(x.eq(0), 0) * g * norm.pow(1 - p);
  Tensor scale = (g / norm.pow(p - 1)).masked_fill(norm.eq(0), 0);
  return p < 2 ? sign(x) * x.abs().pow(p - 1) * scale : x * x.abs().pow(p - 2) * scale;
}

/// No norm of this order is known of no elements.
void checkNotEmpty(const Tensor &self, const Scalar &p, IntArrayRef dims) {
  if (self.numel() != 0 || !(p.toDouble() < 0 || std::isinf(p.toDouble())))
    return;
  TORCH_CHECK(!dims.empty(), "linalg.vector_norm cannot compute the ", p,
              " norm on an empty tensor because the operation does not have an identity");
  for (int64_t dim : dims)
    TORCH_CHECK(self.size(dim) != 0, "linalg.vector_norm cannot compute the ", p,
                " norm on the dimension ", dim,
                "because this dimension is empty and the operation does not have an identity");
}

} // namespace

Tensor norm(const Tensor &self, const Scalar &p, IntArrayRef dims, bool keepdim) {
  if (Casting cast = autocast::widen(self, autocast::onCuda))
    return norm(cast(self), p, dims, keepdim);
  OperationScope scope("norm");
  TORCH_CHECK_NOT_IMPLEMENTED(
      isFloatingType(self.scalar_type()),
      "norm(): input dtype should be either floating point or complex. Got ", self.scalar_type(),
      " instead.");
  ReducedDims folded = reducedDims(self.sizes(), dims);
  checkNotEmpty(self, p, dims);
  double order = p.toDouble();
  Tensor out = makeEmpty(folded.kept, self.scalar_type(), self.device());
  dispatchFloating(self.scalar_type(), "norm",
                   [&]<class T>() { reduce<T, T>(PowerNorm<T>{order}, out, self, folded); });
  Tensor result = shaped(out, folded, keepdim);
  return record(result, "LinalgVectorNormBackward0", {self}, {self, result},
                [order, dims = dims.vec(),
                 kept = folded.kept](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {normGradient(unfolded(g, kept), c.saved(0), order,
                                       unfolded(c.saved(1), kept), dims)};
                });
}
Tensor norm(const Tensor &self, const Scalar &p) { return norm(self, p, {}, false); }

Tensor all(const Tensor &self) { return truth<All>(self, {}, false, "all"); }
Tensor any(const Tensor &self) { return truth<Any>(self, {}, false, "any"); }
Tensor all(const Tensor &self, int64_t dim, bool keepdim) {
  return truth<All>(self, dim, keepdim, "all");
}
Tensor any(const Tensor &self, int64_t dim, bool keepdim) {
  return truth<Any>(self, dim, keepdim, "any");
}

namespace {

void checkReducible(const char *name, const Tensor &self, IntArrayRef dims) {
  TORCH_CHECK(self.numel() != 0 || !dims.empty(), name,
              "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
              "reduction dim with the 'dim' argument.");
  for (int64_t dim : dims)
    if (self.numel() == 0)
      TORCH_CHECK_INDEX(self.size(dim) != 0, name, "(): Expected reduction dim ",
                        wrapDim(dim, self.dim()), " to have non-zero size.");
}

} // namespace

Tensor amax(const Tensor &self, IntArrayRef dims, bool keepdim) {
  checkReducible("amax", self, dims);
  return extremumOver<true>("AmaxBackward0", self, dims, keepdim);
}
Tensor amin(const Tensor &self, IntArrayRef dims, bool keepdim) {
  checkReducible("amin", self, dims);
  return extremumOver<false>("AminBackward0", self, dims, keepdim);
}

Tensor logsumexp(const Tensor &self, IntArrayRef dims, bool keepdim) {
  if (Casting cast = autocast::widen(self, autocast::onCuda))
    return logsumexp(cast(self), dims, keepdim);
  OperationScope scope("logsumexp");
  if (!isFloatingType(self.scalar_type()))
    return logsumexp(self.to(get_default_dtype_as_scalartype()), dims, keepdim);
  if (isReducedFloatingType(self.scalar_type()))
    return logsumexp(self.to(kFloat), dims, keepdim).to(self.scalar_type());
  ReducedDims folded = reducedDims(self.sizes(), dims);
  Tensor result;
  {
    NoGradGuard guard;
    Tensor x = self.detach(), peak = zeros({}, x.options());
    if (x.numel() != 0) {
      peak = extremumOver<true>("", x, dims, true);
      peak = peak.masked_fill(peak.isinf(), 0);
    }
    result = shaped(sum((x - peak).exp(), dims, true).log() + peak, folded, keepdim);
  }
  return record(result, "LogsumexpBackward0", {self}, {self, result},
                [kept = folded.kept](const Tensor &g, const GradientContext &c) -> Gradients {
                  return {unfolded(g, kept) * (c.saved(0) - unfolded(c.saved(1), kept)).exp()};
                });
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
Tensor Tensor::prod(optional<ScalarType> type) const { return runtime::prod(*this, type); }
Tensor Tensor::prod(int64_t dim, bool keepdim, optional<ScalarType> type) const {
  return runtime::prod(*this, dim, keepdim, type);
}
Tensor Tensor::count_nonzero(IntArrayRef dims) const { return runtime::count_nonzero(*this, dims); }
Tensor Tensor::count_nonzero(optional<int64_t> dim) const {
  return runtime::count_nonzero(*this, dim);
}
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
Tensor Tensor::logsumexp(IntArrayRef dims, bool keepdim) const {
  return runtime::logsumexp(*this, dims, keepdim);
}

} // namespace gradtidy::runtime
