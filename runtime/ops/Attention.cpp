#include "Attention.h"
#include "../autograd/Casting.h"
#include "../core/RecordFunction.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Diagonals.h"
#include "Factories.h"
#include "Indexing.h"
#include "Linear.h"
#include "Random.h"
#include "Reductions.h"
#include "Softmax.h"
#include "Views.h"

#include <cmath>
#include <limits>

namespace gradtidy::runtime {

Tensor scaled_dot_product_attention(const Tensor &query, const Tensor &key, const Tensor &value,
                                    const optional<Tensor> &mask, double dropout, bool causal,
                                    optional<double> scale, bool groupedHeads) {
  if (Casting cast = autocast::lower(query)) {
    bool adds = mask && mask->is_floating_point();
    return scaled_dot_product_attention(cast(query), cast(key), cast(value),
                                        adds ? optional(cast(*mask)) : mask, dropout, causal, scale,
                                        groupedHeads);
  }
  OperationScope scope("scaled_dot_product_attention");
  TORCH_CHECK(query.scalar_type() == key.scalar_type() && key.scalar_type() == value.scalar_type(),
              "Expected query, key, and value to have the same dtype, but got query.dtype: ",
              query.scalar_type(), " key.dtype: ", key.scalar_type(),
              " and value.dtype: ", value.scalar_type(), " instead.");
  TORCH_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
              "Expected query, key, and value to all be  at least 2 dimensional, but got "
              "query.dim: ",
              query.dim(), " key.dim: ", key.dim(), " and value.dim: ", value.dim(), " instead.");
  TORCH_CHECK(!mask || !causal, "_scaled_dot_product_attention: Explicit attn_mask should not be "
                                "set when is_causal=True");
  Tensor k = key, v = value;
  if (groupedHeads) {
    int64_t heads = query.size(-3);
    TORCH_CHECK(heads % k.size(-3) == 0 && heads % v.size(-3) == 0,
                "Number of heads in key and value must divide the number of heads in query");
    k = k.repeat_interleave(heads / k.size(-3), -3);
    v = v.repeat_interleave(heads / v.size(-3), -3);
  }
  Tensor scores = matmul(query, k.transpose(-2, -1)) *
                  scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  Tensor looks =
      causal
          ? ones({query.size(-2), k.size(-2)}, TensorOptions(kBool).device(query.device())).tril()
          : mask.value_or(Tensor());
  constexpr double never = -std::numeric_limits<double>::infinity();
  if (looks.defined())
    scores = looks.scalar_type() == kBool ? scores.masked_fill(looks.logical_not(), never)
                                          : scores + looks.to(scores.scalar_type());
  Tensor weights = softmax(scores, -1);
  if (looks.defined())
    weights = weights.masked_fill(scores.detach().eq(never).all(-1, true), 0);
  return matmul(runtime::dropout(weights, dropout, true), v);
}

} // namespace gradtidy::runtime
