// SavedTensor: a tensor that a node keeps for backward, with the version it had.
#pragma once

#include "Node.h"

namespace gradtidy::runtime {

struct SavedTensor {
  SavedTensor() = default;
  /// `result` says that `tensor` is an output of the node itself: an alias outside the graph is
  /// kept, or node and tensor would own each other. Throws for inference tensors.
  SavedTensor(const Tensor &tensor, bool result);

  /// The tensor again, in the graph, for `node` that saved it; throws where it was changed since.
  Tensor unpack(Node &node) const;

  Tensor value;
  uint32_t version = 0;
  uint32_t outputNr = 0;
  bool isResult = false;
};

/// Throws what a second backward through a freed graph says.
[[noreturn]] void failBackwardTwice();

} // namespace gradtidy::runtime
