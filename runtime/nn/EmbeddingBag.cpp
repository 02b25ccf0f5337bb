#include "EmbeddingBag.h"
#include "../core/RecordFunction.h"
#include "../core/Shape.h"
#include "../ops/Arithmetic.h"
#include "../ops/Comparisons.h"
#include "../ops/Factories.h"
#include "../ops/Indexing.h"
#include "../ops/Reductions.h"
#include "../ops/Views.h"
#include "Init.h"

#include <ostream>

namespace gradtidy::runtime::nn {
namespace functional {
namespace {

/// The largest elements of each bag, zeros where there is nothing in it.
Tensor largest(const Tensor &rows, const Tensor &counted, const Tensor &bags, int64_t count) {
  std::vector<Tensor> results;
  for (int64_t bag = 0; bag < count; ++bag) {
    Tensor members = nonzero(bags.eq(bag).logical_and(counted)).squeeze(1);
    Tensor chosen = index_select(rows, 0, members);
    results.push_back(members.numel() == 0 ? chosen.sum(0) : std::get<0>(max(chosen, 0, false)));
  }
  return results.empty() ? rows.narrow(0, 0, 0) : stack(results);
}

void check(const Tensor &indices, const Tensor &offsets, const Tensor &weights, bool sum) {
  TORCH_CHECK(!weights.defined() || sum,
              "embedding_bag: per_sample_weights was not null. per_sample_weights is only "
              "supported for mode='kSum'.");
  if (!offsets.is_cpu() || offsets.numel() == 0)
    return;
  TORCH_CHECK(offsets[0].item<int64_t>() == 0,
              "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start "
              "from position 0. However, got ",
              str(offsets[0]));
  TORCH_CHECK(offsets[-1].item<int64_t>() <= indices.numel(),
              "offsets[-1] can not be greater than input's length({", indices.numel(),
              "}) but got offsets[-1] of {", str(offsets[-1]), "}");
}

} // namespace

Tensor embedding_bag(const Tensor &input, const Tensor &weight,
                     const EmbeddingBagFuncOptions &options) {
  OperationScope scope("embedding_bag");
  Tensor indices = input.reshape({-1}), offsets = options.offsets();
  Tensor weights = options.per_sample_weights();
  TORCH_CHECK(!weights.defined() || weights.sizes() == input.sizes(),
              "embedding_bag: If per_sample_weights (", toText(weights.sizes()),
              ") is not null, then it must have the same shape as the input (",
              toText(input.sizes()), ")");
  TORCH_CHECK(input.dim() == 1 || input.dim() == 2,
              "input has to be 1D or 2D Tensor, but got Tensor of dimension ", input.dim());
  if (input.dim() == 2) {
    TORCH_CHECK(!offsets.defined(),
                "If input is 2D, then offsets has to be null, as input is treated is a mini-batch "
                "of fixed length sequences. However, found offsets of type Tensor");
    offsets = arange(0, input.numel(), input.size(1), TensorOptions(kLong).device(input.device()));
  }
  TORCH_CHECK(offsets.defined(), "offsets has to be a 1D Tensor but got null");
  TORCH_CHECK(offsets.dim() == 1, "offsets has to be a 1D Tensor");
  bool sum = std::holds_alternative<enumtype::kSum>(options.mode());
  check(indices, offsets, weights, sum);
  if (options.max_norm())
    embedding_renorm_(weight, indices, *options.max_norm(), options.norm_type());

  int64_t length = indices.numel(), count = offsets.numel();
  if (options.include_last_offset()) {
    TORCH_CHECK(count >= 1, "include_last_offset: number of offset should be at least 1");
    offsets = offsets.narrow(0, 0, --count);
  }
  Tensor starts = zeros({length + 1}, TensorOptions(kLong).device(indices.device()));
  starts.scatter_add_(0, offsets.to(kLong), ones_like(offsets.to(kLong)));
  Tensor bags = starts.cumsum(0).narrow(0, 0, length) - 1;
  int64_t padding = options.padding_idx().value_or(-1 - weight.size(0));
  Tensor counted = indices.ne(padding < 0 ? padding + weight.size(0) : padding);
  Tensor rows = embedding(weight, indices);
  if (std::holds_alternative<enumtype::kMax>(options.mode()))
    return largest(rows, counted, bags, count);
  if (weights.defined())
    rows = rows * weights.reshape({-1, 1});
  rows = where(counted.unsqueeze(1), rows, 0);
  Tensor sums = zeros({count, weight.size(1)}, rows.options().requires_grad(false))
                    .scatter_add_(0, bags.unsqueeze(1).expand(rows.sizes()), rows);
  if (sum)
    return sums;
  Tensor members = zeros({count}, rows.options().requires_grad(false))
                       .scatter_add_(0, bags, counted.to(rows.scalar_type()));
  return sums / members.clamp_min(1).unsqueeze(1);
}

} // namespace functional

EmbeddingBagImpl::EmbeddingBagImpl(const EmbeddingBagOptions &options) : options(options) {
  reset();
}

void EmbeddingBagImpl::reset() {
  int64_t count = options.num_embeddings();
  if (auto &padding = options.padding_idx(); padding) {
    TORCH_CHECK(*padding < count && *padding >= -count,
                "Padding_idx must be within num_embeddings");
    if (*padding < 0)
      padding = *padding + count;
  }
  DimVector shape{count, options.embedding_dim()};
  if (options._weight().defined()) {
    TORCH_CHECK(options._weight().sizes() == IntArrayRef(shape),
                "Shape of weight does not match num_embeddings and embedding_dim");
    weight = register_parameter("weight", options._weight());
    return;
  }
  weight = register_parameter("weight", runtime::empty(shape));
  reset_parameters();
}

void EmbeddingBagImpl::reset_parameters() {
  NoGradGuard guard;
  init::normal_(weight);
  if (options.padding_idx())
    weight[*options.padding_idx()].zero_();
}

Tensor EmbeddingBagImpl::forward(const Tensor &input, const Tensor &offsets,
                                 const Tensor &per_sample_weights) {
  return functional::embedding_bag(input, weight,
                                   functional::EmbeddingBagFuncOptions()
                                       .offsets(offsets)
                                       .max_norm(options.max_norm())
                                       .norm_type(options.norm_type())
                                       .mode(options.mode())
                                       .per_sample_weights(per_sample_weights)
                                       .include_last_offset(options.include_last_offset())
                                       .padding_idx(options.padding_idx()));
}

void EmbeddingBagImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::EmbeddingBag(num_embeddings=" << options.num_embeddings()
         << ", embedding_dim=" << options.embedding_dim();
  if (options.max_norm())
    stream << ", max_norm=" << *options.max_norm();
  if (options.norm_type() != 2)
    stream << ", norm_type=" << options.norm_type();
  if (!std::holds_alternative<enumtype::kMean>(options.mode()))
    stream << ", mode=" << enumtype::get_enum_name(options.mode());
  if (options.include_last_offset())
    stream << ", include_last_offset=true";
  if (options.padding_idx())
    stream << ", padding_idx=" << *options.padding_idx();
  stream << ")";
}

EmbeddingBag EmbeddingBag::from_pretrained(const Tensor &embeddings,
                                           const EmbeddingBagFromPretrainedOptions &options) {
  TORCH_CHECK(embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional");
  EmbeddingBag made(EmbeddingBagOptions(embeddings.size(0), embeddings.size(1))
                        ._weight(embeddings)
                        .max_norm(options.max_norm())
                        .norm_type(options.norm_type())
                        .mode(options.mode())
                        .include_last_offset(options.include_last_offset())
                        .padding_idx(options.padding_idx()));
  made->weight.set_requires_grad(!options.freeze());
  return made;
}

} // namespace gradtidy::runtime::nn
