// Module classes of which train() and eval() do more than to set the mode.
#pragma once

#include "analyzer/ir/Symbol.h"

namespace gradtidy {

/// Whether the train() of the class, which eval() calls, enables the gradients of parameters with
/// the mode, or may do so as its body is not seen.
bool switchesGradients(const ir::Symbol &record);

} // namespace gradtidy
