// Lists of inputs that are filled for each call of a module.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// What adds elements to the list that \p call gets as \p argument, in every iteration of a loop
/// around the call (or every run of the function, if the list is a static variable or a member),
/// where nothing takes elements away again.
Growth growthOf(const ir::Node &argument, const ir::Node &call, const FunctionBody &function);

} // namespace gradtidy
