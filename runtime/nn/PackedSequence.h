// Sequences of different lengths in one tensor, without padding (torch::nn::utils::rnn).
//
// The data hold the first elements of all sequences, then the second ones of those that have one,
// and so on; batch_sizes says how many there are at each step. Sequences are sorted by length.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime::nn::utils::rnn {

class PackedSequence {
public:
  explicit PackedSequence(Tensor data, Tensor batchSizes, Tensor sortedIndices = {},
                          Tensor unsortedIndices = {});

  const Tensor &data() const { return values; }
  /// int64 on the CPU, never growing.
  const Tensor &batch_sizes() const { return counts; }
  /// Where each sequence came from, and where it went; undefined where they came sorted.
  const Tensor &sorted_indices() const { return sorted; }
  const Tensor &unsorted_indices() const { return unsorted; }
  PackedSequence to(TensorOptions options) const;
  PackedSequence cpu() const { return to(kCPU); }
  PackedSequence cuda() const { return to(kCUDA); }
  bool is_cuda() const { return values.is_cuda(); }

private:
  Tensor values, counts, sorted, unsorted;
};

Tensor invert_permutation(const Tensor &permutation);

/// From (longest, batch, *) or with `batchFirst` (batch, longest, *). Unless `enforceSorted`, the
/// sequences are sorted by length first.
PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batchFirst = false,
                                    bool enforceSorted = true);

/// The inverse: padded sequences and their lengths.
std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence &sequence,
                                               bool batchFirst = false, double paddingValue = 0,
                                               optional<int64_t> totalLength = nullopt);

/// Stacks sequences (length, *), the shorter ones filled up.
Tensor pad_sequence(TensorList sequences, bool batchFirst = false, double paddingValue = 0);

PackedSequence pack_sequence(TensorList sequences, bool enforceSorted = true);

} // namespace gradtidy::runtime::nn::utils::rnn
