// Paths as diagnostics carry them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// \p path made absolute against \p folder, without "." and, where no symbolic link makes that
/// another file, without "..". An empty path stays empty. One file included by two spellings gets
/// one name, so that what is found in it is shown once.
std::string cleanPath(llvm::StringRef path, llvm::StringRef folder);

} // namespace gradtidy
