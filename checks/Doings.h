// What is done with an object in the whole unit, for checks that speak of what is never done.
#pragma once

#include "Check.h"

namespace gradtidy {

/// Whether a function of the unit does something to the object at \p place, a local variable or a
/// member, that is \p one, or code that cannot be seen may get hold of the object. Parameters,
/// references and members that get it are followed; a scheduler that gets an optimizer never steps
/// it.
bool mayBeDone(const UnitAnalysis &unit, const Source &source, PathId place,
               llvm::function_ref<bool(const Event &)> one);

} // namespace gradtidy
