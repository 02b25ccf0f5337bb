// Sums, products and extrema of all elements up to each one along a dimension.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

Tensor cumsum(const Tensor &self, int64_t dim, optional<ScalarType> type = nullopt);
Tensor cumprod(const Tensor &self, int64_t dim, optional<ScalarType> type = nullopt);
/// The largest (smallest) elements so far, and where they are: of equal ones the last.
std::tuple<Tensor, Tensor> cummax(const Tensor &self, int64_t dim);
std::tuple<Tensor, Tensor> cummin(const Tensor &self, int64_t dim);

} // namespace gradtidy::runtime
