// Interfaces of the program's own that modules implement.
#pragma once

#include "Event.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace gradtidy {

/// Tells of the object of each virtual call, whose class is no module, whether all that may answer
/// it are modules: the program has an interface, and its models implement it. \p functions are all
/// that are known; other sources may tell more.
void tellModules(llvm::ArrayRef<std::unique_ptr<FunctionBody>> functions);

} // namespace gradtidy
