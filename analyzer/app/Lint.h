// The main job: analyse what the command line names, print what was found, make the fixes.
#pragma once

#include "CommandLine.h"
#include "llvm/ADT/StringRef.h"

namespace gradtidy {

/// The exit status, as clang-tidy's: 0, also with warnings; 1 after errors and warnings treated as
/// errors, and if anything that was asked for could not be analysed.
/// \param executable the path of this program, beside which the bundled runtime lies.
int lint(const CommandLine &commandLine, llvm::StringRef executable);

} // namespace gradtidy
