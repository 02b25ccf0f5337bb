#include "Transformer.h"
#include "../ops/Arithmetic.h"
#include "../ops/Attention.h"
#include "../ops/Diagonals.h"
#include "../ops/Factories.h"
#include "../ops/Linear.h"
#include "../ops/Random.h"
#include "../ops/Reductions.h"
#include "../ops/Softmax.h"
#include "../ops/Views.h"
#include "Init.h"

#include <cmath>
#include <limits>

namespace gradtidy::runtime::nn {
namespace {

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

Tensor activated(const TransformerActivation &activation, const Tensor &x) {
  if (std::holds_alternative<enumtype::kReLU>(activation))
    return relu(x);
  if (std::holds_alternative<enumtype::kGELU>(activation))
    return gelu(x);
  return std::get<std::function<Tensor(const Tensor &)>>(activation)(x);
}

/// `mask` with one more column, of zeros, for a position that was added to the source.
Tensor oneMore(const Tensor &mask) {
  if (!mask.defined())
    return mask;
  std::vector<int64_t> shape = mask.sizes().vec();
  shape.back() = 1;
  return cat({mask, zeros(shape, mask.options())}, -1);
}

/// What hides keys of a sample, all or those of one head, as the one mask that fusedAttention()
/// knows.
Tensor oneMask(const Tensor &mask, const Tensor &paddingMask, IntArrayRef apart) {
  const Tensor padding =
      paddingMask.defined() ? paddingMask.to(kBool).unsqueeze(1).unsqueeze(2) : Tensor();
  if (!mask.defined())
    return padding.defined() ? padding.logical_not() : Tensor();
  const Tensor byHead = mask.dim() == 3 && mask.size(0) != 1 ? mask.view(apart) : mask;
  if (byHead.scalar_type() == kBool)
    return (padding.defined() ? byHead.logical_or(padding) : byHead).logical_not();
  return padding.defined() ? byHead.masked_fill(padding, minusInfinity) : byHead;
}

} // namespace

void MultiheadAttentionImpl::reset() {
  int64_t width = options.embed_dim();
  head_dim = width / options.num_heads();
  TORCH_CHECK(head_dim * options.num_heads() == width, "embed_dim must be divisible by num_heads");
  if (options.kdim() == width && options.vdim() == width) {
    in_proj_weight = register_parameter("in_proj_weight", empty({3 * width, width}));
  } else {
    q_proj_weight = register_parameter("q_proj_weight", empty({width, width}));
    k_proj_weight = register_parameter("k_proj_weight", empty({width, options.kdim()}));
    v_proj_weight = register_parameter("v_proj_weight", empty({width, options.vdim()}));
  }
  in_proj_bias = register_parameter("in_proj_bias", options.bias() ? empty(3 * width) : Tensor(),
                                    options.bias());
  out_proj = register_module("out_proj", Linear(LinearOptions(width, width).bias(options.bias())));
  if (options.add_bias_kv()) {
    bias_k = register_parameter("bias_k", empty({1, 1, width}));
    bias_v = register_parameter("bias_v", empty({1, 1, width}));
  }
  _reset_parameters();
}

void MultiheadAttentionImpl::_reset_parameters() {
  for (Tensor *weight : {&in_proj_weight, &q_proj_weight, &k_proj_weight, &v_proj_weight})
    if (weight->defined())
      init::xavier_uniform_(*weight);
  if (in_proj_bias.defined()) {
    init::zeros_(in_proj_bias);
    init::zeros_(out_proj->bias);
  }
  for (Tensor *bias : {&bias_k, &bias_v})
    if (bias->defined())
      init::xavier_normal_(*bias);
}

std::array<Tensor, 3> MultiheadAttentionImpl::projected(const Tensor &query, const Tensor &key,
                                                        const Tensor &value) {
  std::array<Tensor, 3> in{query, key, value}, out,
      weights{q_proj_weight, k_proj_weight, v_proj_weight};
  for (int64_t i = 0; i < 3; ++i) {
    int64_t width = options.embed_dim();
    Tensor weight =
        in_proj_weight.defined() ? in_proj_weight.narrow(0, i * width, width) : weights[i];
    Tensor bias = in_proj_bias.defined() ? in_proj_bias.narrow(0, i * width, width) : Tensor();
    out[i] = linear(in[i], weight, bias);
  }
  return out;
}

std::tuple<Tensor, Tensor> MultiheadAttentionImpl::forward(const Tensor &query, const Tensor &key,
                                                           const Tensor &value,
                                                           const Tensor &keyPaddingMask,
                                                           bool needWeights, const Tensor &mask,
                                                           bool averageWeights) {
  TORCH_CHECK(query.dim() == 3 && query.size(2) == options.embed_dim(),
              "query must have the shape (length, batch, ", options.embed_dim(), "), got ",
              toText(query.sizes()));
  TORCH_CHECK(key.size(0) == value.size(0) && key.size(1) == value.size(1),
              "key and value must have the same length and batch, got ", toText(key.sizes()),
              " and ", toText(value.sizes()));
  int64_t length = query.size(0), batch = query.size(1), heads = options.num_heads();
  auto [q, k, v] = projected(query, key, value);
  q = q * (1 / std::sqrt(static_cast<double>(head_dim)));
  Tensor attentionMask = mask, paddingMask = keyPaddingMask;
  if (bias_k.defined()) {
    k = cat({k, bias_k.expand({1, batch, options.embed_dim()})});
    v = cat({v, bias_v.expand({1, batch, options.embed_dim()})});
    attentionMask = oneMore(attentionMask);
    paddingMask = oneMore(paddingMask);
  }
  auto byHead = [&](const Tensor &x) { // (batch * heads, length, head_dim)
    return x.reshape({x.size(0), batch * heads, head_dim}).transpose(0, 1);
  };
  q = byHead(q);
  k = byHead(k);
  v = byHead(v);
  if (options.add_zero_attn()) {
    Tensor nothing = zeros({batch * heads, 1, head_dim}, k.options().requires_grad(false));
    k = cat({k, nothing}, 1);
    v = cat({v, nothing}, 1);
    attentionMask = oneMore(attentionMask);
    paddingMask = oneMore(paddingMask);
  }
  std::vector<int64_t> apart{batch, heads, length, k.size(1)};
  const double drops = is_training() ? options.dropout() : 0;
  if (!needWeights && drops < 1 && fusesAttention(q, k, v)) {
    auto split = [&](const Tensor &x) { return x.view({batch, heads, x.size(1), head_dim}); };
    const Tensor output =
        fusedAttention(split(q), split(k), split(v), oneMask(attentionMask, paddingMask, apart),
                       drops, false, 1, std::numeric_limits<double>::quiet_NaN());
    if (output.defined())
      return {out_proj(output.permute({2, 0, 1, 3}).reshape({length, batch, options.embed_dim()})),
              Tensor()};
  }
  Tensor scores = bmm(q, k.transpose(1, 2));
  if (attentionMask.defined())
    scores = attentionMask.scalar_type() == kBool ? scores.masked_fill(attentionMask, minusInfinity)
                                                  : scores + attentionMask;
  if (paddingMask.defined())
    scores = scores.view(apart)
                 .masked_fill(paddingMask.to(kBool).unsqueeze(1).unsqueeze(2), minusInfinity)
                 .view({batch * heads, length, k.size(1)});
  Tensor weights = runtime::dropout(softmax(scores, -1), options.dropout(), is_training());
  Tensor output = bmm(weights, v).transpose(0, 1).reshape({length, batch, options.embed_dim()});
  output = out_proj(output);
  if (!needWeights)
    return {output, Tensor()};
  weights = weights.view(apart);
  return {output, averageWeights ? weights.sum(1) / heads : weights};
}

void TransformerEncoderLayerImpl::reset() {
  int64_t width = options.d_model();
  auto drop = [&](const char *name) { return register_module(name, Dropout(options.dropout())); };
  self_attn = register_module(
      "self_attn",
      MultiheadAttention(
          MultiheadAttentionOptions(width, options.nhead()).dropout(options.dropout())));
  linear1 = register_module("linear1", Linear(width, options.dim_feedforward()));
  dropout = drop("dropout");
  linear2 = register_module("linear2", Linear(options.dim_feedforward(), width));
  norm1 = register_module("norm1", LayerNorm(std::vector<int64_t>{width}));
  norm2 = register_module("norm2", LayerNorm(std::vector<int64_t>{width}));
  dropout1 = drop("dropout1");
  dropout2 = drop("dropout2");
}

Tensor TransformerEncoderLayerImpl::forward(const Tensor &src, const Tensor &mask,
                                            const Tensor &paddingMask) {
  Tensor attended = std::get<0>(self_attn(src, src, src, paddingMask, false, mask));
  Tensor x = norm1(src + dropout1(attended));
  return norm2(x + dropout2(linear2(dropout(activated(options.activation(), linear1(x))))));
}

void TransformerDecoderLayerImpl::reset() {
  int64_t width = options.d_model();
  auto attention = [&](const char *name) {
    return register_module(
        name, MultiheadAttention(
                  MultiheadAttentionOptions(width, options.nhead()).dropout(options.dropout())));
  };
  auto drop = [&](const char *name) { return register_module(name, Dropout(options.dropout())); };
  auto norm = [&](const char *name) {
    return register_module(name, LayerNorm(std::vector<int64_t>{width}));
  };
  self_attn = attention("self_attn");
  dropout1 = drop("dropout1");
  norm1 = norm("norm1");
  multihead_attn = attention("multihead_attn");
  dropout2 = drop("dropout2");
  norm2 = norm("norm2");
  linear1 = register_module("linear1", Linear(width, options.dim_feedforward()));
  dropout = drop("dropout");
  linear2 = register_module("linear2", Linear(options.dim_feedforward(), width));
  dropout3 = drop("dropout3");
  norm3 = norm("norm3");
}

Tensor TransformerDecoderLayerImpl::forward(Tensor tgt, const Tensor &memory, const Tensor &mask,
                                            const Tensor &memoryMask, const Tensor &paddingMask,
                                            const Tensor &memoryPaddingMask) {
  Tensor attended = std::get<0>(self_attn(tgt, tgt, tgt, paddingMask, false, mask));
  Tensor x = norm1(tgt + dropout1(attended));
  attended = std::get<0>(multihead_attn(x, memory, memory, memoryPaddingMask, false, memoryMask));
  x = norm2(x + dropout2(attended));
  return norm3(x + dropout3(linear2(dropout(activated(options.activation(), linear1(x))))));
}

void TransformerEncoderImpl::reset() {
  layers = register_module("layers", ModuleList());
  for (int64_t i = 0; i < options.num_layers(); ++i)
    layers->push_back(options.encoder_layer()->clone());
  if (!options.norm().is_empty()) {
    options.norm() = options.norm().clone();
    register_module("norm", options.norm().ptr());
  }
}

Tensor TransformerEncoderImpl::forward(const Tensor &src, const Tensor &mask,
                                       const Tensor &paddingMask) {
  Tensor x = src;
  for (std::size_t i = 0; i < layers->size(); ++i)
    x = layers->at<TransformerEncoderLayerImpl>(i).forward(x, mask, paddingMask);
  return options.norm().is_empty() ? x : options.norm().forward(x);
}

void TransformerDecoderImpl::reset() {
  layers = register_module("layers", ModuleList());
  for (int64_t i = 0; i < options.num_layers(); ++i)
    layers->push_back(options.decoder_layer()->clone());
  if (!options.norm().is_empty()) {
    options.norm() = options.norm().clone();
    register_module("norm", options.norm().ptr());
  }
}

Tensor TransformerDecoderImpl::forward(const Tensor &tgt, const Tensor &memory, const Tensor &mask,
                                       const Tensor &memoryMask, const Tensor &paddingMask,
                                       const Tensor &memoryPaddingMask) {
  Tensor x = tgt;
  for (std::size_t i = 0; i < layers->size(); ++i)
    x = layers->at<TransformerDecoderLayerImpl>(i).forward(x, memory, mask, memoryMask, paddingMask,
                                                           memoryPaddingMask);
  return options.norm().is_empty() ? x : options.norm().forward(x);
}

void TransformerImpl::reset() {
  LayerNorm encoderNorm(std::vector<int64_t>{options.d_model()});
  if (options.custom_encoder().is_empty())
    encoder = AnyModule(TransformerEncoder(
        TransformerEncoderOptions(TransformerEncoderLayerOptions(options.d_model(), options.nhead())
                                      .dim_feedforward(options.dim_feedforward())
                                      .dropout(options.dropout())
                                      .activation(options.activation()),
                                  options.num_encoder_layers())
            .norm(AnyModule(encoderNorm))));
  else
    encoder = options.custom_encoder().clone();
  register_module("encoder", encoder.ptr());
  LayerNorm decoderNorm(std::vector<int64_t>{options.d_model()});
  if (options.custom_decoder().is_empty())
    decoder = AnyModule(TransformerDecoder(
        TransformerDecoderOptions(TransformerDecoderLayerOptions(options.d_model(), options.nhead())
                                      .dim_feedforward(options.dim_feedforward())
                                      .dropout(options.dropout())
                                      .activation(options.activation()),
                                  options.num_decoder_layers())
            .norm(AnyModule(decoderNorm))));
  else
    decoder = options.custom_decoder().clone();
  register_module("decoder", decoder.ptr());
  reset_parameters();
}

void TransformerImpl::reset_parameters() {
  for (Tensor &parameter : parameters())
    if (parameter.dim() > 1)
      init::xavier_uniform_(parameter);
}

Tensor TransformerImpl::forward(const Tensor &src, const Tensor &tgt, const Tensor &srcMask,
                                const Tensor &tgtMask, const Tensor &memoryMask,
                                const Tensor &srcPaddingMask, const Tensor &tgtPaddingMask,
                                const Tensor &memoryPaddingMask) {
  TORCH_CHECK(src.dim() == 3 && tgt.dim() == 3, "src and tgt should have 3 dimensions, but got ",
              src.dim(), " and ", tgt.dim());
  TORCH_CHECK(src.size(1) == tgt.size(1),
              "src and tgt should have equal batch size (at dim 1), but got ", src.size(1), " and ",
              tgt.size(1));
  TORCH_CHECK(src.size(2) == options.d_model() && tgt.size(2) == options.d_model(),
              "src and tgt should have same feature size as d_model (at dim 2), but got ",
              src.size(2), " and ", tgt.size(2), " while d_model is ", options.d_model());
  Tensor memory = encoder.forward(src, srcMask, srcPaddingMask);
  return decoder.forward(tgt, memory, tgtMask, memoryMask, tgtPaddingMask, memoryPaddingMask);
}

Tensor TransformerImpl::generate_square_subsequent_mask(int64_t size) {
  return triu(full({size, size}, minusInfinity), 1);
}

} // namespace gradtidy::runtime::nn
