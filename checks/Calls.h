// What events call, by name.
#pragma once

#include "Check.h"

namespace gradtidy {

/// The simple name of the function that \p site calls; empty if it calls none, or an operator.
llvm::StringRef calledName(const ir::Node *site);

} // namespace gradtidy
