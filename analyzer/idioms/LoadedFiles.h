// Files that a program saves and loads, and lists that a load adds to.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// The name of the file that \p call is about, where it is written: the second argument. Empty if
/// it is not.
llvm::StringRef fileOf(const ir::Node &call, const FunctionBody &function);

/// Whether \p load reads an archive that may have been opened for a device: not with a path or
/// stream alone.
bool mayHaveDevice(const ir::Node &load, const FunctionBody &function);

/// What certainly has put tensors into the list that \p load adds to, where the function goes on as
/// if the load had replaced them: it has saved the very list, takes elements by their number, or
/// has them from a module. The load itself, where that is the round of a loop before. Else null.
const ir::Node *fillerOf(const ir::Node &load, const FunctionBody &function);

} // namespace gradtidy
