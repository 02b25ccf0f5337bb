// Editors: serves the Language Server Protocol on standard input and output.
#pragma once

#include "CommandLine.h"
#include "llvm/ADT/StringRef.h"

namespace gradtidy {

/// Runs until the client says so, or is gone. Each document is analysed in a process of its own, as
/// if the command line had named it: what goes wrong there costs the findings of one document, and
/// the client is answered meanwhile.
/// \param commandLine its sources do not count.
/// \returns the exit status that the protocol asks for.
int serveEditor(const CommandLine &commandLine, llvm::StringRef executable);

} // namespace gradtidy
