// Paths as diagnostics carry them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// The one form of \p path (see analyzer/source/Paths.h), against \p folder. An empty path, that of
/// what lies in no file, stays empty.
std::string cleanPath(llvm::StringRef path, llvm::StringRef folder);

} // namespace gradtidy
