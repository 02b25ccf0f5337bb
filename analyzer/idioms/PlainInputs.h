// Inputs and labels of a training that are told to have gradients.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// Whether \p call, which asks for the gradient of a tensor or of one made with options, asks in
/// vain: the function trains a module, does no more with the tensor than to compute from it, for
/// the module among others, and looks at no gradient.
bool asksInVain(const ir::Node &call, const FunctionBody &function);

} // namespace gradtidy
