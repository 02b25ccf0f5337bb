// What the checks of elements and shapes share.
#pragma once

#include "Check.h"

namespace gradtidy {

/// The tensors that a loss or layer gets, in the order of the source: the module that computes it
/// is none of them.
llvm::SmallVector<const Operand *, 4> inputsOf(const Event &event);

/// "'y'", as written, or \p otherwise.
std::string nameOf(const Visit &visit, const Operand &tensor, llvm::StringRef otherwise);

/// Where the tensor was made, if that is told elsewhere.
void noteOrigin(const Visit &visit, const Operand &tensor, llvm::StringRef what, Finding &finding);

} // namespace gradtidy
