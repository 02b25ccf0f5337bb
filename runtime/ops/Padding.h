// Padding: elements put around a tensor, and its inverse, cropping.
#pragma once

#include "../core/Tensor.h"

#include <string_view>

namespace gradtidy::runtime {

/// `pad` counts what is added before and behind the last dimension, then the one before it, and so
/// on; negative counts crop.
Tensor constant_pad_nd(const Tensor &self, IntArrayRef pad, const Scalar &value = 0);

/// `mode` is "constant", "reflect", "replicate" or "circular"; only the first takes a value.
Tensor pad(const Tensor &self, IntArrayRef pad, std::string_view mode = "constant",
           optional<double> value = nullopt);

#define GRADTIDY_PADDING(D)                                                                        \
  Tensor reflection_pad##D##d(const Tensor &self, IntArrayRef padding);                            \
  Tensor replication_pad##D##d(const Tensor &self, IntArrayRef padding);
GRADTIDY_PADDING(1)
GRADTIDY_PADDING(2)
GRADTIDY_PADDING(3)
#undef GRADTIDY_PADDING

} // namespace gradtidy::runtime
