// Attention: means of values, weighted by how well keys fit queries.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// softmax(scale query key^T + mask) value for `query` (.., L, E), `key` (.., S, E) and `value`
/// (.., S, V). `mask`, broadcast to (.., L, S), is true where a query looks at a key, or is added;
/// `causal` says that no query looks at keys behind it. A query that looks at none gets zeros. The
/// scale is 1 / sqrt(E) unless given; with `groupedHeads` several heads (dimension -3) of the query
/// share one of the others.
Tensor scaled_dot_product_attention(const Tensor &query, const Tensor &key, const Tensor &value,
                                    const optional<Tensor> &mask = nullopt, double dropout = 0,
                                    bool causal = false, optional<double> scale = nullopt,
                                    bool groupedHeads = false);

} // namespace gradtidy::runtime
