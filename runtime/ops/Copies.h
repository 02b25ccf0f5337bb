// Copies and conversions: copy_, clone, contiguous, to, fill_.
#pragma once

#include "../core/Shape.h"
#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// Copies values, converting and broadcasting, also from device to device, outside any graph and
/// without a version change. The host waits for a copy from or to its memory unless `nonBlocking`
/// and that memory is page-locked.
void copyInto(const Tensor &target, const Tensor &source, bool nonBlocking = false);
/// `source` itself if it has that type, else a converted copy outside any graph.
Tensor castValues(const Tensor &source, ScalarType type);

Tensor clone(const Tensor &self);
/// A copy in the usual memory order, also where contiguous() makes none.
Tensor packed(const Tensor &self);
/// The strides of a tensor like `self` without gaps, in the same memory order.
DimVector keptStrides(const Tensor &self);

/// The type of a result of both, as promotion has it.
ScalarType result_type(const Tensor &a, const Tensor &b);
ScalarType result_type(const Tensor &a, const Scalar &b);
inline bool can_cast(ScalarType from, ScalarType to) { return canCast(from, to); }

} // namespace gradtidy::runtime
