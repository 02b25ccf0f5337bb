// What a program keeps of the best of several iterations.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// Whether \p site stands in a branch that is taken where a number is better than the best so far,
/// which the branch replaces by it: `if (loss < best) { best = loss; … }`.
bool isOfBest(const ir::Node &site, const FunctionBody &function);

} // namespace gradtidy
