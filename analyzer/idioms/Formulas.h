// Functions of the framework that are written out.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// What \p call computes as the last step of a formula: `exp(x) / exp(x).sum(1)` is a softmax,
/// `1 / (1 + exp(-x))` a sigmoid, `1 - tanh(x) * tanh(x)` the derivative of tanh. Operation::None
/// for all else.
Operation formulaOf(const ir::Node &call, const FunctionBody &function);

} // namespace gradtidy
