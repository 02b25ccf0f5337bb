// Conditions that may ask for the mode of a module.
#pragma once

#include "analyzer/events/values/FunctionCode.h"

namespace gradtidy {

/// Whether \p function, a method of a module, may leave out \p site for the mode. Not where all
/// that is asked are sizes, counters of loops, and numbers that only constructors set.
bool mayAskForMode(const clang::Stmt &site, const FunctionCode &function);

} // namespace gradtidy
