// What describes many numbers: counts, quantiles, covariances, and places in an order.
#pragma once

#include "../core/Tensor.h"

#include <string_view>

namespace gradtidy::runtime {

/// How often each of 0, 1, ... is among the elements of a vector, or the sum of their weights.
Tensor bincount(const Tensor &self, const optional<Tensor> &weights = nullopt,
                int64_t minlength = 0);
/// How many elements are in each of `bins` equal parts of [min, max], by default of their own
/// range.
Tensor histc(const Tensor &self, int64_t bins = 100, const Scalar &min = 0, const Scalar &max = 0);
/// Where `values` would have to be inserted into a sorted sequence (or one for each row): before
/// equal elements, or with `right` behind them.
Tensor searchsorted(const Tensor &sorted, const Tensor &values, bool outInt32 = false,
                    bool right = false);
Tensor searchsorted(const Tensor &sorted, const Scalar &value, bool outInt32 = false,
                    bool right = false);
/// Between which of the sorted `boundaries` elements lie.
Tensor bucketize(const Tensor &self, const Tensor &boundaries, bool outInt32 = false,
                 bool right = false);
/// What a share `q` in [0, 1] of the elements is not above, between two of them by "linear",
/// "lower", "higher", "midpoint" or "nearest". Several shares form a dimension in front.
Tensor quantile(const Tensor &self, const Tensor &q, optional<int64_t> dim = nullopt,
                bool keepdim = false, std::string_view interpolation = "linear");
Tensor quantile(const Tensor &self, double q, optional<int64_t> dim = nullopt, bool keepdim = false,
                std::string_view interpolation = "linear");
/// The k-th smallest element and where it is.
std::tuple<Tensor, Tensor> kthvalue(const Tensor &self, int64_t k, int64_t dim = -1,
                                    bool keepdim = false);
std::tuple<Tensor, Tensor> aminmax(const Tensor &self, optional<int64_t> dim = nullopt,
                                   bool keepdim = false);
/// sum and mean over the elements that are numbers.
Tensor nansum(const Tensor &self, IntArrayRef dims = {}, bool keepdim = false,
              optional<ScalarType> type = nullopt);
Tensor nanmean(const Tensor &self, IntArrayRef dims = {}, bool keepdim = false,
               optional<ScalarType> type = nullopt);
/// Differences of neighbours, n times, of self between `prepend` and `append`.
Tensor diff(const Tensor &self, int64_t n = 1, int64_t dim = -1,
            const optional<Tensor> &prepend = nullopt, const optional<Tensor> &append = nullopt);
/// The covariances (correlations) of the rows of a matrix.
Tensor cov(const Tensor &self, int64_t correction = 1);
Tensor corrcoef(const Tensor &self);
/// The area under a polyline through points `dx` apart.
Tensor trapezoid(const Tensor &y, const Scalar &dx = 1, int64_t dim = -1);

} // namespace gradtidy::runtime
