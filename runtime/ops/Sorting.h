// Elements in their order. NaN counts as the largest value; equal ones stay in the order they have.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// The elements along a dimension in their order, and where they were.
std::tuple<Tensor, Tensor> sort(const Tensor &self, int64_t dim = -1, bool descending = false);
inline Tensor argsort(const Tensor &self, int64_t dim = -1, bool descending = false) {
  return self.argsort(dim, descending);
}
/// The k largest (smallest) ones, sorted.
std::tuple<Tensor, Tensor> topk(const Tensor &self, int64_t k, int64_t dim = -1,
                                bool largest = true, bool sorted = true);
/// The lower one of the two in the middle, where the number of elements is even; NaN, if any is.
Tensor median(const Tensor &self);
std::tuple<Tensor, Tensor> median(const Tensor &self, int64_t dim, bool keepdim = false);

} // namespace gradtidy::runtime
