#include "PackedSequence.h"
#include "../ops/Factories.h"
#include "../ops/Indexing.h"
#include "../ops/Reductions.h"
#include "../ops/Sorting.h"
#include "../ops/Views.h"

#include <algorithm>

namespace gradtidy::runtime::nn::utils::rnn {

PackedSequence::PackedSequence(Tensor data, Tensor batchSizes, Tensor sortedIndices,
                               Tensor unsortedIndices)
    : values(std::move(data)), counts(std::move(batchSizes)), sorted(std::move(sortedIndices)),
      unsorted(unsortedIndices.defined() ? std::move(unsortedIndices)
                                         : invert_permutation(sorted)) {
  TORCH_CHECK(counts.device().is_cpu(),
              "batch_sizes should always be on CPU. Instances of PackedSequence should never be "
              "created manually. They should be instantiated by functions like pack_sequence and "
              "pack_padded_sequences in nn::utils::rnn. "
              "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence");
}

PackedSequence PackedSequence::to(TensorOptions options) const {
  Tensor moved = values.to(options);
  auto follow = [&](const Tensor &x) { return x.defined() ? x.to(moved.device()) : x; };
  return PackedSequence(moved, counts, follow(sorted), follow(unsorted));
}

Tensor invert_permutation(const Tensor &permutation) {
  if (!permutation.defined())
    return {};
  return empty_like(permutation)
      .scatter_(0, permutation, arange(permutation.numel()).to(permutation.device()));
}

PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batchFirst,
                                    bool enforceSorted) {
  lengths = lengths.to(kLong).contiguous();
  TORCH_CHECK(lengths.dim() == 1 && lengths.is_cpu(),
              "'lengths' argument should be a 1D CPU int64 tensor, but got ", lengths.dim(), "D ",
              lengths.device().str(), " ", lengths.scalar_type(), " tensor");
  Tensor order;
  if (!enforceSorted) {
    std::tie(lengths, order) = sort(lengths, -1, true);
    order = order.to(input.device());
    input = input.index_select(batchFirst ? 0 : 1, order);
  }
  if (batchFirst)
    input = input.transpose(0, 1);
  TORCH_CHECK(lengths.size(0) == input.size(1),
              "Expected `len(lengths)` to be equal to batch_size, but got ", lengths.size(0),
              " (batch_size=", input.size(1), ")");
  const auto *length = lengths.data_ptr<int64_t>();
  int64_t batch = lengths.size(0);
  TORCH_CHECK(batch > 0 && length[batch - 1] > 0,
              "Length of all samples has to be greater than 0, but found an element in 'lengths' "
              "that is <= 0");
  TORCH_CHECK(std::is_sorted(length, length + batch, std::greater<>()),
              "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. "
              "You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
              "sidestep this requirement if you do not need ONNX exportability.");
  std::vector<Tensor> steps;
  std::vector<int64_t> counts;
  for (int64_t step = 0; step < length[0]; ++step) {
    while (length[batch - 1] <= step)
      --batch;
    steps.push_back(input[step].narrow(0, 0, batch));
    counts.push_back(batch);
  }
  return PackedSequence(cat(steps), tensor(counts, kCPU), order);
}

std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence &sequence, bool batchFirst,
                                               double paddingValue, optional<int64_t> totalLength) {
  const auto *counts = sequence.batch_sizes().data_ptr<int64_t>();
  int64_t steps = sequence.batch_sizes().size(0), batch = counts[0];
  int64_t total = totalLength.value_or(steps);
  TORCH_CHECK(total >= steps,
              "Expected total_length to be at least the length of the longest sequence in input, "
              "but got total_length=",
              total, " and max sequence length being ", steps);
  std::vector<int64_t> shape = sequence.data().sizes().vec(), lengths(batch, 0);
  shape[0] = batch;
  std::vector<Tensor> padded;
  int64_t offset = 0;
  for (int64_t step = 0; step < total; ++step) {
    int64_t count = step < steps ? counts[step] : 0;
    std::vector<int64_t> rest = shape;
    rest[0] = batch - count;
    Tensor filling = full(rest, paddingValue, sequence.data().options().requires_grad(false));
    padded.push_back(cat({sequence.data().narrow(0, offset, count), filling}));
    offset += count;
    for (int64_t i = 0; i < count; ++i)
      ++lengths[i];
  }
  Tensor result = stack(padded, batchFirst ? 1 : 0), sizes = tensor(lengths, kCPU);
  if (const Tensor &order = sequence.unsorted_indices(); order.defined())
    return {result.index_select(batchFirst ? 0 : 1, order), sizes.index_select(0, order.cpu())};
  return {result, sizes};
}

Tensor pad_sequence(TensorList sequences, bool batchFirst, double paddingValue) {
  TORCH_CHECK(!sequences.empty(), "received an empty list of sequences");
  int64_t longest = 0;
  for (const Tensor &sequence : sequences)
    longest = std::max(longest, sequence.size(0));
  std::vector<Tensor> padded;
  for (const Tensor &sequence : sequences) {
    std::vector<int64_t> shape = sequence.sizes().vec();
    shape[0] = longest - shape[0];
    padded.push_back(
        cat({sequence, full(shape, paddingValue, sequence.options().requires_grad(false))}));
  }
  return stack(padded, batchFirst ? 0 : 1);
}

PackedSequence pack_sequence(TensorList sequences, bool enforceSorted) {
  std::vector<int64_t> lengths;
  for (const Tensor &sequence : sequences)
    lengths.push_back(sequence.size(0));
  return pack_padded_sequence(pad_sequence(sequences), tensor(lengths, kCPU), false, enforceSorted);
}

} // namespace gradtidy::runtime::nn::utils::rnn
