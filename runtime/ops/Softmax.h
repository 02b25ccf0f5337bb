// The softmax family: numerically safe along one dimension.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

Tensor softmax(const Tensor &self, int64_t dim, optional<ScalarType> type = nullopt);
Tensor log_softmax(const Tensor &self, int64_t dim, optional<ScalarType> type = nullopt);

} // namespace gradtidy::runtime
