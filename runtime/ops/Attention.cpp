#include "Attention.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Diagonals.h"
#include "Factories.h"
#include "Indexing.h"
#include "Linear.h"
#include "Random.h"
#include "Reductions.h"
#include "Softmax.h"
#include "Views.h"
#include "kernels/Attention.h"

#include <cmath>
#include <limits>

namespace gradtidy::runtime {
namespace {

/// How much each query looks at each key.
Tensor attentionWeights(const Tensor &query, const Tensor &key, const Tensor &mask, bool causal,
                        double scale) {
  Tensor scores = matmul(query, key.transpose(-2, -1)) * scale;
  Tensor looks =
      causal
          ? ones({query.size(-2), key.size(-2)}, TensorOptions(kBool).device(query.device())).tril()
          : mask;
  constexpr double never = -std::numeric_limits<double>::infinity();
  if (looks.defined())
    scores = looks.scalar_type() == kBool ? scores.masked_fill(looks.logical_not(), never)
                                          : scores + looks.to(scores.scalar_type());
  Tensor weights = softmax(scores, -1);
  return looks.defined() ? weights.masked_fill(scores.detach().eq(never).all(-1, true), 0)
                         : weights;
}

/// The dimensions before the last two, which the kernels see as two: batches and heads.
struct HeadBatch {
  DimVector dims;
  int64_t heads = dims.empty() ? 1 : dims.back();
  int64_t batches = elementCount(dims) / heads;

  /// (.., rows, columns) for all of them.
  DimVector with(int64_t rows, int64_t columns) const {
    DimVector shape = dims;
    shape.insert(shape.end(), {rows, columns});
    return shape;
  }
  /// A new tensor (.., rows, columns), with the heads of a row side by side in memory: the layer
  /// behind sees them as one row then.
  Tensor headsSideBySide(int64_t rows, int64_t columns, const Tensor &like) const {
    const DimVector shape = with(rows, columns);
    DimVector strides = contiguousStrides(shape);
    if (!dims.empty()) {
      strides[dims.size() - 1] = columns;
      strides[dims.size()] = heads * columns;
    }
    return makeEmptyStrided(shape, strides, like.scalar_type(), like.device());
  }
  /// (batches, heads, rows, columns), without a copy where that is possible.
  Tensor split(const Tensor &x) const {
    return x.expand(with(x.size(-2), x.size(-1))).reshape({batches, heads, x.size(-2), x.size(-1)});
  }
};

DimVector batchOf(const Tensor &x) { return {x.sizes().begin(), x.sizes().end() - 2}; }

template <class T> HeadRows<T> headRows(const Tensor &x) {
  return {kernelData<T>(x), x.stride(0), x.stride(1), x.stride(2)};
}

/// What attention computes besides products.
struct AttentionRules {
  bool causal;
  double scale, nothing, dropout;
  ReplayedSeed seed;
};

/// A call of the kernels, forward or backward: it holds the tensors that they see.
class AttentionCall {
public:
  AttentionCall(const Tensor &query, const Tensor &key, const Tensor &value, const Tensor &mask,
                const AttentionRules &rules)
      : batch{broadcastShapes(broadcastShapes(batchOf(query), batchOf(key)), batchOf(value))},
        query(rows(query)), key(rows(key)), value(rows(value)), rules(rules) {
    if (mask.defined())
      spread(mask);
  }

  /// False where the mask has batches of its own.
  bool fits() const { return fitting; }

  /// The result, and the logarithms of the sums of the exponentials of all scores.
  std::array<Tensor, 2> forward() {
    const int64_t queries = query.size(2), width = value.size(3);
    Tensor out = batch.headsSideBySide(queries, width, query);
    Tensor logSumExp = makeEmpty({batch.batches, batch.heads, queries}, mathType(), query.device());
    dispatchFloating(query.scalar_type(), "attention", [&]<class T>() {
      attend(query.device(), arguments<T>(), result<T>(batch.split(out), logSumExp));
    });
    return {out, logSumExp};
  }

  Gradients backward(const Tensor &out, const Tensor &logSumExp, const Tensor &gradient) {
    const Tensor given = rows(gradient),
                 products = makeEmpty(logSumExp.sizes(), mathType(), query.device());
    Gradients made;
    for (const Tensor &x : {query, key, value})
      made.push_back(makeEmpty(batch.with(x.size(2), x.size(3)), x.scalar_type(), x.device()));
    dispatchFloating(query.scalar_type(), "attention_backward", [&]<class T>() {
      attendBackward(
          query.device(), arguments<T>(), result<T>(batch.split(out), logSumExp),
          AttentionGradient<T>{headRows<const T>(given), headRows<T>(batch.split(made[0])),
                               headRows<T>(batch.split(made[1])), headRows<T>(batch.split(made[2])),
                               kernelData<MathType<T>>(products)});
    });
    return made;
  }

  /// The factors of all weights.
  Tensor dropout() const {
    Tensor factors =
        makeEmpty(batch.with(query.size(2), key.size(2)), query.scalar_type(), query.device());
    dispatchFloating(query.scalar_type(), "attention_dropout",
                     [&]<class T>() { enumerate<T>(dropoutAs<T>(), factors); });
    return factors;
  }

private:
  /// With neighbouring columns.
  Tensor rows(const Tensor &x) const {
    Tensor split = batch.split(x);
    return split.stride(3) == 1 ? split : split.contiguous();
  }
  /// Takes `given` for each batch, head, query and key.
  void spread(const Tensor &given) {
    const DimVector shape = batch.with(query.size(2), key.size(2));
    fitting = isExpandableTo(given.sizes(), shape);
    if (!fitting)
      return;
    mask = given.scalar_type() == kBool ? given : given.to(query.scalar_type());
    mask = batch.split(mask.expand(shape));
  }
  ScalarType mathType() const {
    return query.scalar_type() == ScalarType::Double ? kDouble : kFloat;
  }

  template <class T> AttentionDropout<MathType<T>> dropoutAs() const {
    return {static_cast<MathType<T>>(1 - rules.dropout), rules.seed};
  }
  template <class T> Attention<T> arguments() {
    Attention<T> a{batch.batches,
                   batch.heads,
                   query.size(2),
                   key.size(2),
                   query.size(3),
                   value.size(3),
                   static_cast<MathType<T>>(rules.scale),
                   static_cast<MathType<T>>(rules.nothing),
                   rules.causal,
                   headRows<const T>(query),
                   headRows<const T>(key),
                   headRows<const T>(value),
                   dropoutAs<T>()};
    if (!mask.defined())
      return a;
    if (mask.scalar_type() == kBool)
      a.looks = kernelData<bool>(mask);
    else
      a.summands = kernelData<T>(mask);
    std::copy(mask.strides().begin(), mask.strides().end(), a.maskSteps.begin());
    return a;
  }
  template <class T> static AttentionResult<T> result(const Tensor &out, const Tensor &logSumExp) {
    return {headRows<T>(out), kernelData<MathType<T>>(logSumExp)};
  }

  HeadBatch batch;
  Tensor query, key, value, mask;
  AttentionRules rules;
  bool fitting = true;
};

} // namespace

bool fusesAttention(const Tensor &query, const Tensor &key, const Tensor &value) {
  for (const Tensor *x : {&key, &value})
    if (x->device() != query.device() || x->scalar_type() != query.scalar_type() || x->numel() == 0)
      return false;
  return query.numel() != 0 && query.size(-1) == key.size(-1) && key.size(-2) == value.size(-2) &&
         hasAttentionKernels(query.device(), query.scalar_type(),
                             std::max(query.size(-1), value.size(-1)));
}

Tensor fusedAttention(const Tensor &query, const Tensor &key, const Tensor &value,
                      const Tensor &mask, double dropout, bool causal, double scale,
                      double nothing) {
  if (mask.defined() && (mask.device() != query.device() || mustRecord({mask})))
    return {};
  OperationScope scope("_scaled_dot_product_flash_attention");
  AttentionRules rules{causal, scale, nothing, dropout, {}};
  std::array<Tensor, 2> made;
  {
    NoGradGuard guard;
    if (dropout > 0)
      rules.seed = drawSeed(query.device());
    AttentionCall call(query, key, value, mask, rules);
    if (!call.fits())
      return {};
    made = call.forward();
  }
  const auto &[out, logSumExp] = made;
  return record(out, "ScaledDotProductFlashAttentionBackward0", {query, key, value},
                {query, key, value, mask, out, logSumExp},
                [rules](const Tensor &g, const GradientContext &c) -> Gradients {
                  const Tensor q = c.saved(0), k = c.saved(1), v = c.saved(2), looks = c.saved(3);
                  AttentionCall call(q, k, v, looks, rules);
                  if (!GradMode::is_enabled())
                    return call.backward(c.saved(4), c.saved(5), g);
                  const Tensor weights = attentionWeights(q, k, looks, rules.causal, rules.scale);
                  Tensor used = weights, byWeights = matmul(g, v.transpose(-2, -1));
                  if (rules.dropout > 0) {
                    const Tensor factors = call.dropout();
                    used = used * factors;
                    byWeights = byWeights * factors;
                  }
                  const Tensor byScores =
                      weights * (byWeights - (byWeights * weights).sum(-1, true)) * rules.scale;
                  return {matmul(byScores, k), matmul(byScores.transpose(-2, -1), q),
                          matmul(used.transpose(-2, -1), g)};
                });
}

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
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  const Tensor given = mask.value_or(Tensor());
  if (dropout >= 0 && dropout < 1 && fusesAttention(query, k, v))
    if (Tensor out = fusedAttention(query, k, v, given, dropout, causal, factor, 0); out.defined())
      return out;
  Tensor weights = attentionWeights(query, k, given, causal, factor);
  return matmul(runtime::dropout(weights, dropout, true), v);
}

} // namespace gradtidy::runtime
