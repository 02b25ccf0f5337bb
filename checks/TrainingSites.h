// Where a function trains, for checks that ask it of many statements.
#pragma once

#include "Check.h"

#include <vector>

namespace gradtidy {

/// The events of \p function for which trainsIn() and trainsBehind() look.
std::vector<const ir::Node *> trainingSites(const Visit &visit, const FunctionBody &function);

} // namespace gradtidy
