// Paths of sources: absolute, normalised, compared as text.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// \p path made absolute against \p folder (the working directory if empty), without "." and "..".
std::string absolutePath(llvm::StringRef path, llvm::StringRef folder = {});

/// Whether absolute \p file lies in \p folder or below it.
bool liesIn(llvm::StringRef file, llvm::StringRef folder);

/// The deepest folder that holds the absolute paths \p one and \p other, or is one of them.
llvm::StringRef commonFolder(llvm::StringRef one, llvm::StringRef other);

/// Whether the name of \p file says that it is made to be included.
bool isHeader(llvm::StringRef file);

} // namespace gradtidy
