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
std::tuple<Tensor, Tensor> var_mean(const Tensor &self, bool unbiased = true);
std::tuple<Tensor, Tensor> var_mean(const Tensor &self, IntArrayRef dims, bool unbiased = true,
                                    bool keepdim = false);
std::tuple<Tensor, Tensor> std_mean(const Tensor &self, bool unbiased = true);
std::tuple<Tensor, Tensor> std_mean(const Tensor &self, IntArrayRef dims, bool unbiased = true,
                                    bool keepdim = false);
Tensor prod(const Tensor &self, optional<ScalarType> type = nullopt);
Tensor prod(const Tensor &self, int64_t dim, bool keepdim = false,
            optional<ScalarType> type = nullopt);
/// How many elements are not 0, over some or all dimensions.
Tensor count_nonzero(const Tensor &self, IntArrayRef dims);
Tensor count_nonzero(const Tensor &self, optional<int64_t> dim = nullopt);
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
Tensor logsumexp(const Tensor &self, IntArrayRef dims, bool keepdim = false);

} // namespace gradtidy::runtime
