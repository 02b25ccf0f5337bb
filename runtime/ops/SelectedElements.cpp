#include "SelectedElements.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Factories.h"

namespace gradtidy::runtime {

std::tuple<Tensor, Tensor> selected(const char *node, const Tensor &self, int64_t dim,
                                    const Tensor &values, const Tensor &indices) {
  bool dropped = values.dim() < self.dim();
  return {record(values, node, {self}, {indices},
                 [dim, dropped, sizes = self.sizes().vec()](const Tensor &g,
                                                            const GradientContext &c) -> Gradients {
                   Tensor indices = dropped ? c.saved(0).unsqueeze(dim) : c.saved(0);
                   Tensor gradient = dropped ? g.unsqueeze(dim) : g;
                   return {zeros(sizes, g.options()).scatter(dim, indices, gradient)};
                 }),
          indices};
}

Tensor shared(const Tensor &g, const Tensor &x, const Tensor &value, IntArrayRef dims) {
  Tensor chosen = x.eq(value).logical_or(x.isnan().logical_and(value.isnan()));
  return where(chosen, g / chosen.sum(dims, true), 0);
}

} // namespace gradtidy::runtime
