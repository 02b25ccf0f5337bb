// Changes of a text as diff -u shows them.
#pragma once

#include "clang/Tooling/Core/Replacement.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// A patch that makes \p edits in \p before, the text of the file \p name, with three lines around
/// each change; empty if nothing is changed. A relative name is the file's below a/ and b/, as git
/// has it.
std::string unifiedDiff(llvm::StringRef name, llvm::StringRef before,
                        const clang::tooling::Replacements &edits);

} // namespace gradtidy
