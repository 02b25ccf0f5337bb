// Reductions over all or some dimensions.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

Tensor sum(const Tensor &self, optional<ScalarType> type = nullopt);
Tensor sum(const Tensor &self, IntArrayRef dims, bool keepdim = false,
           optional<ScalarType> type = nullopt);
Tensor mean(const Tensor &self, optional<ScalarType> type = nullopt);
Tensor mean(const Tensor &self, IntArrayRef dims, bool keepdim = false,
            optional<ScalarType> type = nullopt);
Tensor var(const Tensor &self, bool unbiased = true);
Tensor var(const Tensor &self, IntArrayRef dims, bool unbiased = true, bool keepdim = false);
Tensor std(const Tensor &self, bool unbiased = true);
Tensor std(const Tensor &self, IntArrayRef dims, bool unbiased = true, bool keepdim = false);
Tensor prod(const Tensor &self);
Tensor max(const Tensor &self);
std::tuple<Tensor, Tensor> max(const Tensor &self, int64_t dim, bool keepdim = false);
Tensor max(const Tensor &self, const Tensor &other);
Tensor min(const Tensor &self);
std::tuple<Tensor, Tensor> min(const Tensor &self, int64_t dim, bool keepdim = false);
Tensor min(const Tensor &self, const Tensor &other);
Tensor argmax(const Tensor &self, optional<int64_t> dim = nullopt, bool keepdim = false);
Tensor argmin(const Tensor &self, optional<int64_t> dim = nullopt, bool keepdim = false);
Tensor norm(const Tensor &self, const Scalar &p = 2);
Tensor norm(const Tensor &self, const Scalar &p, IntArrayRef dims, bool keepdim = false);
Tensor all(const Tensor &self);
Tensor any(const Tensor &self);
Tensor all(const Tensor &self, int64_t dim, bool keepdim = false);
Tensor any(const Tensor &self, int64_t dim, bool keepdim = false);
/// The largest (smallest) elements over some or all dimensions.
Tensor amax(const Tensor &self, IntArrayRef dims = {}, bool keepdim = false);
Tensor amin(const Tensor &self, IntArrayRef dims = {}, bool keepdim = false);
/// The lower one of the two in the middle, where the number of elements is even; NaN, if any is.
Tensor median(const Tensor &self);
std::tuple<Tensor, Tensor> median(const Tensor &self, int64_t dim, bool keepdim = false);
Tensor cumsum(const Tensor &self, int64_t dim);
Tensor logsumexp(const Tensor &self, IntArrayRef dims, bool keepdim = false);
std::tuple<Tensor, Tensor> sort(const Tensor &self, int64_t dim = -1, bool descending = false);
std::tuple<Tensor, Tensor> topk(const Tensor &self, int64_t k, int64_t dim = -1,
                                bool largest = true, bool sorted = true);

} // namespace gradtidy::runtime
