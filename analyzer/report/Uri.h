// Files as formats and protocols for machines name them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// The path of a URI: every byte that has a meaning there, or is not ASCII, in its %XX form.
std::string uriPath(llvm::StringRef file);

/// "file:///home/ada/a%20b.cpp" of an absolute path.
std::string uriOf(llvm::StringRef file);

/// The path of such a URI; empty for any other kind.
std::string fileOf(llvm::StringRef uri);

} // namespace gradtidy
