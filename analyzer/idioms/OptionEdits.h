// Changes of an optimizer's options that the optimizer does not see: it has its own, of which a
// variable is a copy, and which were copied from those that it was made with.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// Whether \p variable is a copy of what an optimizer holds, which the function changes, perhaps
/// reads, and does nothing else with.
bool isLostCopy(const ir::Symbol &variable, const FunctionBody &function);

/// Whether \p call changes options after all optimizers have copied them: the defaults of an
/// optimizer, or a variable that one was made with.
bool isLostEdit(const ir::Node &call, const FunctionBody &function);

} // namespace gradtidy
