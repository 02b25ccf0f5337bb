// What else becomes of the numbers that a program reads from tensors.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// Where \p read tests a tensor for NaN, what tests the same tensor for infinite numbers after it,
/// or the other way round: `isfinite()` tells both. Null if nothing does.
const ir::Node *otherTestOf(const ir::Node &read, const FunctionBody &function);

/// The sum, difference, product or quotient of the number that \p read gives and a tensor, if that
/// is all that it is read for: the tensor that it is read from would do. Else null.
const ir::Node *joinedBy(const ir::Node &read, const FunctionBody &function);

} // namespace gradtidy
