// Processes that train together: the group that a function makes for itself, and what the rank of
// the process, its number in the group, decides there.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// The only group of several processes that \p function makes, if nobody else gets hold of it.
RankGroup rankGroupOf(const FunctionBody &function);

/// Whether \p function brings tensors of several processes together: a method of such a group, or
/// what other libraries have for that.
bool isExchange(const ir::Symbol &function);

} // namespace gradtidy
