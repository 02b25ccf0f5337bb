// What a check is about: its page of the documents, on the terminal.
#pragma once

#include "CommandLine.h"
#include "llvm/ADT/StringRef.h"

namespace gradtidy {

/// Prints the pages of the checks that are the sources of \p commandLine; without any, a line for
/// each check. The exit status: 1 if there is no such check, or its page is not to be found.
int explain(const CommandLine &commandLine, llvm::StringRef executable);

} // namespace gradtidy
