// Values that are the same each time: a tensor of them could be made once.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// Whether \p value is the same each time: constants, members that only constructors set, and
/// numbers that are older than a loop around it and that nothing changes.
bool isFixedValue(const ir::Node &value, const FunctionBody &function);

} // namespace gradtidy
