// Layers that begin with all weights the same.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// What \p fill, a call that fills a tensor with one value, leaves equal: the neurons between the
/// layer whose weights it fills and the one behind it, as the forward pass of the class or the
/// function shows them, if that one's are filled too and nothing fills either with anything else.
EqualNeurons equalNeuronsOf(const ir::Node &fill, const FunctionBody &function);

/// The same of what \p apply does: it calls a function for all parts of a module.
EqualNeurons equalNeuronsOfApply(const ir::Node &apply);

} // namespace gradtidy
