// What a program keeps of the best of several rounds.
#pragma once

#include "analyzer/events/values/FunctionCode.h"

namespace gradtidy {

/// Whether \p site stands in a branch that is taken where a number is better than the best so far,
/// which the branch replaces by it: `if (loss < best) { best = loss; … }`.
bool isOfBest(const clang::Stmt &site, const FunctionCode &function);

} // namespace gradtidy
