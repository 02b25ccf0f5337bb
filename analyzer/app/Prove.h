// gradtidy prove: for each check, that it finds the bug of its fixture and is silent on the repair,
// and that the two programs differ when they run as symptom.json says.
#pragma once

#include "CommandLine.h"
#include "llvm/ADT/StringRef.h"

namespace gradtidy {

/// The exit status: 0 if everything that was asked for is proven, 1 if not, 2 if it could not be
/// tried.
/// \param executable the path of this program, which does the static side.
int prove(const CommandLine &commandLine, llvm::StringRef executable);

} // namespace gradtidy
