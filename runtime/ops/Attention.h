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

/// Whether fusedAttention() may have kernels for these.
bool fusesAttention(const Tensor &query, const Tensor &key, const Tensor &value);

/// The same in one kernel (ops/kernels/Attention.h), for tensors of one type on one CUDA device
/// that have at least two dimensions, with a dropout below one. A query for which all scores are
/// negative infinity gets `nothing`. Undefined where the kernel cannot do it: the mask lies
/// elsewhere, wants a gradient, or has batches of its own.
Tensor fusedAttention(const Tensor &query, const Tensor &key, const Tensor &value,
                      const Tensor &mask, double dropout, bool causal, double scale,
                      double nothing);

} // namespace gradtidy::runtime
