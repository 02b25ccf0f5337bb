#include "Cumulative.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Factories.h"
#include "Indexing.h"
#include "Reductions.h"
#include "Views.h"
#include "kernels/Scan.h"

namespace gradtidy::runtime {
namespace {

using C = const GradientContext &;
using G = const Tensor &;

/// Where the largest (smallest) value so far is: the last one; NaN beats everything.
template <class T, bool largest> struct LastExtremum {
  struct Acc {
    MathType<T> value{};
    int64_t index = -1;
  };
  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, MathType<T> value, int64_t index) const {
    bool better = largest ? value >= acc.value : value <= acc.value;
    if (acc.index < 0 || value != value || (acc.value == acc.value && better))
      acc = {value, index};
  }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &later) const {
    if (later.index >= 0)
      add(acc, later.value, later.index);
  }
  GRADTIDY_HOST_DEVICE int64_t result(const Acc &acc) const { return acc.index; }
};

/// The scan of `self` in `type`, which for integers is int64 unless given.
template <template <class> class Op>
Tensor accumulated(const char *name, const Tensor &self, int64_t dim, optional<ScalarType> type) {
  OperationScope scope(name);
  ScalarType to = type                                 ? *type
                  : isFloatingType(self.scalar_type()) ? self.scalar_type()
                                                       : ScalarType::Long;
  Tensor in = castValues(self.detach(), to), out = makeEmpty(self.sizes(), to, self.device());
  dispatchNumbers(to, name, [&]<class T>() { scan<T, T>(Op<T>(), out, in, dim); });
  return out;
}

/// The sum of each element and all behind it.
Tensor sumFrom(G x, int64_t dim) { return x.flip(dim).cumsum(dim).flip(dim); }

/// The gradient of cumprod where elements may be 0: for each one the sum, over all products that it
/// is part of, of their other factors.
Tensor cumprodGradientAtZero(G g, G x, int64_t dim) {
  std::vector<Tensor> parts;
  int64_t length = x.size(dim);
  for (int64_t k = 0; k < length; ++k) {
    Tensor before = k == 0 ? ones_like(x.narrow(dim, 0, 1)) : x.narrow(dim, 0, k).prod(dim, true);
    Tensor behind = cat({ones_like(before), x.narrow(dim, k + 1, length - k - 1)}, dim);
    Tensor others = before * behind.cumprod(dim);
    parts.push_back((g.narrow(dim, k, length - k) * others).sum(dim, true));
  }
  return cat(parts, dim);
}

template <bool largest>
std::tuple<Tensor, Tensor> extremumSoFar(const char *name, const char *node, const Tensor &self,
                                         int64_t dim) {
  OperationScope scope(name);
  dim = wrapDim(dim, self.dim());
  Tensor indices = makeEmpty(self.sizes(), ScalarType::Long, self.device());
  dispatchAll(self.scalar_type(), name,
              [&]<class T>() { scan<int64_t, T>(LastExtremum<T, largest>(), indices, self, dim); });
  Tensor values = gather(self.detach(), dim, indices);
  return {record(values, node, {self}, {indices},
                 [dim](G g, C c) -> Gradients {
                   return {zeros_like(g).scatter_add(dim, c.saved(0), g)};
                 }),
          indices};
}

} // namespace

Tensor cumsum(const Tensor &self, int64_t dim, optional<ScalarType> type) {
  if (Casting cast = autocast::widen(self, autocast::onCuda))
    return cumsum(cast(self), dim, type);
  dim = wrapDim(dim, self.dim());
  return record(accumulated<Sum>("cumsum", self, dim, type), "CumsumBackward0", {self}, {},
                [dim](G g, C) -> Gradients { return {g.dim() == 0 ? g : sumFrom(g, dim)}; });
}

Tensor cumprod(const Tensor &self, int64_t dim, optional<ScalarType> type) {
  if (Casting cast = autocast::widen(self, autocast::onCuda))
    return cumprod(cast(self), dim, type);
  dim = wrapDim(dim, self.dim());
  Tensor result = accumulated<Product>("cumprod", self, dim, type);
  return record(result, "CumprodBackward0", {self}, {self, result}, [dim](G g, C c) -> Gradients {
    Tensor x = c.saved(0), products = c.saved(1);
    if (x.dim() == 0 || x.numel() == 0)
      return {g};
    if (x.detach().eq(0).any().item<bool>())
      return {cumprodGradientAtZero(g, x, dim)};
    return {sumFrom(g * products, dim) / x};
  });
}

std::tuple<Tensor, Tensor> cummax(const Tensor &self, int64_t dim) {
  return extremumSoFar<true>("cummax", "CummaxBackward0", self, dim);
}
std::tuple<Tensor, Tensor> cummin(const Tensor &self, int64_t dim) {
  return extremumSoFar<false>("cummin", "CumminBackward0", self, dim);
}

Tensor Tensor::cumsum(int64_t dim, optional<ScalarType> type) const {
  return runtime::cumsum(*this, dim, type);
}
Tensor Tensor::cumprod(int64_t dim, optional<ScalarType> type) const {
  return runtime::cumprod(*this, dim, type);
}
Tensor &Tensor::cumsum_(int64_t dim) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) {
    return x.scalar_type() == kBool ? x.cumsum(dim).to(kBool) : x.cumsum(dim, x.scalar_type());
  });
}
Tensor &Tensor::cumprod_(int64_t dim) const {
  return changeInPlace(*this, {}, [&](const Tensor &x) { return x.cumprod(dim, x.scalar_type()); });
}
std::tuple<Tensor, Tensor> Tensor::cummax(int64_t dim) const { return runtime::cummax(*this, dim); }
std::tuple<Tensor, Tensor> Tensor::cummin(int64_t dim) const { return runtime::cummin(*this, dim); }

} // namespace gradtidy::runtime
