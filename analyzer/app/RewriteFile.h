// A source rewritten so that everything about it but its text stays.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// Gives the regular file \p file, which a symbolic link may lead to, the text \p after if its text
/// is
/// \p before. Links to it, its owner, mode, extended attributes and time of last access stay. The
/// old text stays as a whole if the new one cannot be written as a whole. Returns why \p file is
/// unchanged; empty if it was rewritten.
std::string rewriteFile(const std::string &file, llvm::StringRef before, llvm::StringRef after);

} // namespace gradtidy
