// gradtidy watch: runs a program that uses LibTorch and reports the pitfalls that its run shows.
#pragma once

#include "CommandLine.h"
#include "llvm/ADT/StringRef.h"

namespace gradtidy {

/// Runs the program behind "--" with the watching library and prints what was found when it has
/// ended, to standard output; the program's own output is its own. The exit status: the program's
/// if that is not 0, 128 and the signal's number if a signal ended it; else as of a lint run.
int watch(const CommandLine &commandLine, llvm::StringRef executable);

} // namespace gradtidy
