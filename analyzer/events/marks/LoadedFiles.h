// Files that a program saves and loads, and lists that a load adds to.
#pragma once

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// The name of the file that \p call, in \p body, is about, where it is written: the second
/// argument. Empty if it is not.
llvm::StringRef fileOf(const clang::CallExpr &call, const clang::Stmt &body);

/// Whether \p load, in \p body, reads an archive that may have been opened for a device: not with a
/// path or stream alone.
bool mayHaveDevice(const clang::CallExpr &load, const clang::Stmt &body);

/// What certainly has put tensors into the list that \p load adds to, where the function goes on as
/// if the load had replaced them: it has saved the very list, takes elements by their number, or
/// has them from a module. The load itself, where that is the round of a loop before. Else null.
const clang::Stmt *fillerOf(const clang::CallExpr &load, const FunctionCode &function,
                            Vocabulary &vocabulary);

} // namespace gradtidy
