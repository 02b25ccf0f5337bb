// Copies and conversions: copy_, clone, contiguous, to, fill_.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// Copies values, converting and broadcasting, outside any graph and without a version change.
void copyInto(const Tensor &target, const Tensor &source);
/// `source` itself if it has that type, else a converted copy outside any graph.
Tensor castValues(const Tensor &source, ScalarType type);

Tensor clone(const Tensor &self);

} // namespace gradtidy::runtime
