// Which elements of a tensor a write to a view of it reaches.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// What \p write, a call of a method of a view, reaches of the tensor.
Coverage coverageOf(const ir::Node &write, const FunctionBody &function);

} // namespace gradtidy
