// Layers that are called as functions, which do not know the mode of the module they belong to.
#pragma once

#include "analyzer/ir/Node.h"

namespace gradtidy {

/// Whether \p call drops, or normalizes by the batch, whatever the mode of a module is: it is
/// told so literally, or by a default.
bool ignoresMode(const ir::Node &call);

/// Whether a \p layer does so that is made of a function and all that this is to be called with but
/// the tensor.
bool ignoresMode(const ir::Symbol &layer, llvm::ArrayRef<const ir::Node *> arguments);

/// Whether the method, or its class, says by its name that it wants randomness in evaluation, too.
bool samplesOnPurpose(const ir::Symbol &method);

} // namespace gradtidy
