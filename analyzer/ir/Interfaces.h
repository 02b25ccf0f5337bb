// What calls learn of the functions that they lead to, whatever source has these: interfaces of the
// program's own that modules implement, and forward passes.
#pragma once

#include "Event.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace gradtidy {

/// Tells of the object of each virtual call, whose class is no module, whether all that may answer
/// it are modules: the program has an interface, and its models implement it. \p functions are all
/// that are known; other sources may tell more.
void tellModules(llvm::ArrayRef<std::unique_ptr<FunctionBody>> functions);

/// Tells each call of a forward pass what that does with gradients and with its inputs.
void tellPasses(llvm::ArrayRef<std::unique_ptr<FunctionBody>> functions);

} // namespace gradtidy
