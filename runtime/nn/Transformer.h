// Attention and the layers of transformers (Vaswani et al. 2017).
//
// Sequences are (length, batch, features). An attention mask is (target length, source length), or
// has one for each head of each sample in front; true or -inf mean that a position is not seen. A
// padding mask (batch, length) is true where there is padding.
#pragma once

#include "Containers.h"
#include "Dropout.h"
#include "Layers.h"
#include "Normalization.h"

namespace gradtidy::runtime::nn {

struct MultiheadAttentionOptions {
  MultiheadAttentionOptions(int64_t embed_dim, int64_t num_heads)
      : embed_dim_(embed_dim), num_heads_(num_heads), kdim_(embed_dim), vdim_(embed_dim) {}
  TORCH_ARG(int64_t, embed_dim);
  TORCH_ARG(int64_t, num_heads);
  TORCH_ARG(double, dropout) = 0.0;
  TORCH_ARG(bool, bias) = true;
  TORCH_ARG(bool, add_bias_kv) = false;
  TORCH_ARG(bool, add_zero_attn) = false;
  TORCH_ARG(int64_t, kdim);
  TORCH_ARG(int64_t, vdim);
};

class MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
public:
  MultiheadAttentionImpl(int64_t embed, int64_t heads)
      : MultiheadAttentionImpl(MultiheadAttentionOptions(embed, heads)) {}
  explicit MultiheadAttentionImpl(const MultiheadAttentionOptions &options) : options(options) {
    reset();
  }
  void reset() override;
  void _reset_parameters();
  /// The output and, if wanted, the weights (batch, target, source), averaged over the heads unless
  /// (batch, heads, target, source) are asked for.
  std::tuple<Tensor, Tensor> forward(const Tensor &query, const Tensor &key, const Tensor &value,
                                     const Tensor &keyPaddingMask = {}, bool needWeights = true,
                                     const Tensor &mask = {}, bool averageWeights = true);

  MultiheadAttentionOptions options;
  Tensor in_proj_weight, in_proj_bias, q_proj_weight, k_proj_weight, v_proj_weight, bias_k, bias_v;
  Linear out_proj = nullptr;
  int64_t head_dim = 0;

protected:
  FORWARD_HAS_DEFAULT_ARGS({3, AnyValue(Tensor())}, {4, AnyValue(true)}, {5, AnyValue(Tensor())},
                           {6, AnyValue(true)})

private:
  /// The projected query, key and value.
  std::array<Tensor, 3> projected(const Tensor &query, const Tensor &key, const Tensor &value);
};
TORCH_MODULE(MultiheadAttention);

using TransformerActivation =
    std::variant<enumtype::kReLU, enumtype::kGELU, std::function<Tensor(const Tensor &)>>;

#define GRADTIDY_TRANSFORMER(Name)                                                                 \
  struct Name##LayerOptions {                                                                      \
    using activation_t = TransformerActivation;                                                    \
    Name##LayerOptions(int64_t d_model, int64_t nhead) : d_model_(d_model), nhead_(nhead) {}       \
    TORCH_ARG(int64_t, d_model);                                                                   \
    TORCH_ARG(int64_t, nhead);                                                                     \
    TORCH_ARG(int64_t, dim_feedforward) = 2048;                                                    \
    TORCH_ARG(double, dropout) = 0.1;                                                              \
    TORCH_ARG(activation_t, activation) = kReLU;                                                   \
  };
GRADTIDY_TRANSFORMER(TransformerEncoder)
GRADTIDY_TRANSFORMER(TransformerDecoder)
#undef GRADTIDY_TRANSFORMER

class TransformerEncoderLayerImpl : public Cloneable<TransformerEncoderLayerImpl> {
public:
  TransformerEncoderLayerImpl(int64_t width, int64_t heads)
      : TransformerEncoderLayerImpl(TransformerEncoderLayerOptions(width, heads)) {}
  explicit TransformerEncoderLayerImpl(TransformerEncoderLayerOptions options)
      : options(std::move(options)) {
    reset();
  }
  void reset() override;
  Tensor forward(const Tensor &src, const Tensor &mask = {}, const Tensor &paddingMask = {});

  TransformerEncoderLayerOptions options;
  MultiheadAttention self_attn = nullptr;
  Linear linear1 = nullptr, linear2 = nullptr;
  LayerNorm norm1 = nullptr, norm2 = nullptr;
  Dropout dropout = nullptr, dropout1 = nullptr, dropout2 = nullptr;

protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())}, {2, AnyValue(Tensor())})
};
TORCH_MODULE(TransformerEncoderLayer);

class TransformerDecoderLayerImpl : public Cloneable<TransformerDecoderLayerImpl> {
public:
  TransformerDecoderLayerImpl(int64_t width, int64_t heads)
      : TransformerDecoderLayerImpl(TransformerDecoderLayerOptions(width, heads)) {}
  explicit TransformerDecoderLayerImpl(TransformerDecoderLayerOptions options)
      : options(std::move(options)) {
    reset();
  }
  void reset() override;
  Tensor forward(Tensor tgt, const Tensor &memory, const Tensor &mask = {},
                 const Tensor &memoryMask = {}, const Tensor &paddingMask = {},
                 const Tensor &memoryPaddingMask = {});

  TransformerDecoderLayerOptions options;
  MultiheadAttention self_attn = nullptr, multihead_attn = nullptr;
  Linear linear1 = nullptr, linear2 = nullptr;
  LayerNorm norm1 = nullptr, norm2 = nullptr, norm3 = nullptr;
  Dropout dropout = nullptr, dropout1 = nullptr, dropout2 = nullptr, dropout3 = nullptr;

protected:
  FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(Tensor())}, {3, AnyValue(Tensor())},
                           {4, AnyValue(Tensor())}, {5, AnyValue(Tensor())})
};
TORCH_MODULE(TransformerDecoderLayer);

struct TransformerEncoderOptions {
  TransformerEncoderOptions(TransformerEncoderLayer layer, int64_t num_layers)
      : encoder_layer_(std::move(layer)), num_layers_(num_layers) {}
  TransformerEncoderOptions(const TransformerEncoderLayerOptions &layer, int64_t num_layers)
      : TransformerEncoderOptions(TransformerEncoderLayer(layer), num_layers) {}
  TORCH_ARG(TransformerEncoderLayer, encoder_layer) = nullptr;
  TORCH_ARG(int64_t, num_layers);
  TORCH_ARG(AnyModule, norm);
};

struct TransformerDecoderOptions {
  TransformerDecoderOptions(TransformerDecoderLayer layer, int64_t num_layers)
      : decoder_layer_(std::move(layer)), num_layers_(num_layers) {}
  TransformerDecoderOptions(const TransformerDecoderLayerOptions &layer, int64_t num_layers)
      : TransformerDecoderOptions(TransformerDecoderLayer(layer), num_layers) {}
  TORCH_ARG(TransformerDecoderLayer, decoder_layer) = nullptr;
  TORCH_ARG(int64_t, num_layers);
  TORCH_ARG(AnyModule, norm);
};

/// Copies of one layer, one after the other, and a last normalisation if there is one.
class TransformerEncoderImpl : public Cloneable<TransformerEncoderImpl> {
public:
  TransformerEncoderImpl(TransformerEncoderLayer layer, int64_t count)
      : TransformerEncoderImpl(TransformerEncoderOptions(std::move(layer), count)) {}
  explicit TransformerEncoderImpl(TransformerEncoderOptions options) : options(std::move(options)) {
    reset();
  }
  void reset() override;
  Tensor forward(const Tensor &src, const Tensor &mask = {}, const Tensor &paddingMask = {});

  TransformerEncoderOptions options;
  ModuleList layers = nullptr;

protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())}, {2, AnyValue(Tensor())})
};
TORCH_MODULE(TransformerEncoder);

class TransformerDecoderImpl : public Cloneable<TransformerDecoderImpl> {
public:
  TransformerDecoderImpl(TransformerDecoderLayer layer, int64_t count)
      : TransformerDecoderImpl(TransformerDecoderOptions(std::move(layer), count)) {}
  explicit TransformerDecoderImpl(TransformerDecoderOptions options) : options(std::move(options)) {
    reset();
  }
  void reset() override;
  Tensor forward(const Tensor &tgt, const Tensor &memory, const Tensor &mask = {},
                 const Tensor &memoryMask = {}, const Tensor &paddingMask = {},
                 const Tensor &memoryPaddingMask = {});

  TransformerDecoderOptions options;
  ModuleList layers = nullptr;

protected:
  FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(Tensor())}, {3, AnyValue(Tensor())},
                           {4, AnyValue(Tensor())}, {5, AnyValue(Tensor())})
};
TORCH_MODULE(TransformerDecoder);

struct TransformerOptions {
  using activation_t = TransformerActivation;
  TransformerOptions() = default;
  TransformerOptions(int64_t d_model, int64_t nhead) : d_model_(d_model), nhead_(nhead) {}
  TransformerOptions(int64_t d_model, int64_t nhead, int64_t encoders, int64_t decoders)
      : d_model_(d_model), nhead_(nhead), num_encoder_layers_(encoders),
        num_decoder_layers_(decoders) {}
  TORCH_ARG(int64_t, d_model) = 512;
  TORCH_ARG(int64_t, nhead) = 8;
  TORCH_ARG(int64_t, num_encoder_layers) = 6;
  TORCH_ARG(int64_t, num_decoder_layers) = 6;
  TORCH_ARG(int64_t, dim_feedforward) = 2048;
  TORCH_ARG(double, dropout) = 0.1;
  TORCH_ARG(activation_t, activation) = kReLU;
  TORCH_ARG(AnyModule, custom_encoder);
  TORCH_ARG(AnyModule, custom_decoder);
};

class TransformerImpl : public Cloneable<TransformerImpl> {
public:
  explicit TransformerImpl(TransformerOptions options = {}) : options(std::move(options)) {
    reset();
  }
  void reset() override;
  void reset_parameters();
  Tensor forward(const Tensor &src, const Tensor &tgt, const Tensor &srcMask = {},
                 const Tensor &tgtMask = {}, const Tensor &memoryMask = {},
                 const Tensor &srcPaddingMask = {}, const Tensor &tgtPaddingMask = {},
                 const Tensor &memoryPaddingMask = {});
  /// -inf above the diagonal: no position sees a later one.
  static Tensor generate_square_subsequent_mask(int64_t size);

  TransformerOptions options;
  AnyModule encoder, decoder;

protected:
  FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(Tensor())}, {3, AnyValue(Tensor())},
                           {4, AnyValue(Tensor())}, {5, AnyValue(Tensor())},
                           {6, AnyValue(Tensor())}, {7, AnyValue(Tensor())})
};
TORCH_MODULE(Transformer);

} // namespace gradtidy::runtime::nn
