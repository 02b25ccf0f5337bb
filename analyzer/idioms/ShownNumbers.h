// Numbers of tensors that are for people alone: sums for a report, entries of a log, output.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// What becomes of the number that \p read gives, if nothing but that.
Shown shownBy(const ir::Node &read, const FunctionBody &function);

} // namespace gradtidy
