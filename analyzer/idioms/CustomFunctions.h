// Functions that compute their own gradients: classes with forward() and backward(), whose rules no
// compiler checks.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// Whether autograd calls the function, for the gradients of a function of the user's.
bool isOwnBackward(const ir::Symbol &function);

/// What is wrong with the gradients that \p returned gives back: their number, or one for an input
/// that has none. Nothing where either cannot be known.
CustomFunctionFacts gradientsOf(const ir::Node &returned, const FunctionBody &function);

/// Whether \p call, in a forward function, changes elements of its object in place, although that
/// is an input and what the function gives, and nothing marks it.
bool changesInput(const ir::Node &call, const FunctionBody &function);

/// Whether \p place, to which a forward function assigns \p value, is in its context, and the value
/// is what the function gives: these two then keep each other alive.
bool keepsOutput(const ir::Node &place, const ir::Node &value, const FunctionBody &function);

/// Whether \p function, the backward of such a class, computes gradients without a look at the
/// values of those that it is given.
bool ignoresGradients(const FunctionBody &function);

} // namespace gradtidy
