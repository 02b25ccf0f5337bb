// Conditions that may ask for the mode of a module.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// Whether \p function, a method of a module, may leave out \p site for the mode. Not where all
/// that is asked are sizes, counters of loops, and numbers that only constructors set.
bool mayAskForMode(const ir::Node &site, const FunctionBody &function);

/// Whether no method of its class but constructors changes the member, as all of them show.
bool isLeftAlone(const ir::Symbol &member);

} // namespace gradtidy
