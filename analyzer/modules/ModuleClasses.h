// What is known of the modules of a program: of their classes, and of those that events call or
// make.
//
// The view is flow-insensitive. It follows module handles and tensors through variables, members,
// containers and the parameters of functions whose bodies it sees, and never guesses: what gets out
// of sight may be registered there.
#pragma once

#include "analyzer/ir/LoweredUnit.h"

namespace gradtidy {

/// Finds what is known of the module classes in \p unit, one unit or several that are linked, and
/// of the module that is the subject of each event.
void findModules(LoweredUnit &unit);

} // namespace gradtidy
