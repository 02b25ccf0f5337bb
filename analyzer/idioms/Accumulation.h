// Steps that are taken in every Nth round of a loop, for which the gradients of N rounds add up.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// N of `if ((i + 1) % N == 0)` around \p site, within the innermost loop; null if there is none.
const ir::Node *roundsBetween(const ir::Node &site, const FunctionBody &function);

/// Whether \p all functions have no other use for the number \p rounds than to count, to compare
/// and to print: nothing is divided by it. Of a literal \p function is asked alone.
bool onlyCounts(const ir::Node &rounds, const FunctionBody &function,
                llvm::ArrayRef<const FunctionBody *> all);

} // namespace gradtidy
