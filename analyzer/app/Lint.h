// The main job: analyse what the command line names, print what was found, make the fixes.
#pragma once

#include "CommandLine.h"
#include "llvm/ADT/StringRef.h"

namespace gradtidy {

/// The exit status: 0, also with warnings; 1 after errors and warnings treated as errors; 2 if
/// anything that was asked for could not be done, or 1 with CommandLine::clangTidyStatus.
/// \param executable the path of this program, beside which the bundled runtime lies.
int lint(const CommandLine &commandLine, llvm::StringRef executable);

} // namespace gradtidy
