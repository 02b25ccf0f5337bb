// gradtidy model check: what is wrong with models of frameworks.
#pragma once

#include "CommandLine.h"

namespace gradtidy {

/// Prints what is wrong with the files to standard output, and how many problems there are to
/// standard error. Each file is read as `--model` would, over the ones before it. The exit status:
/// 0 if nothing is wrong.
int checkModels(const CommandLine &commandLine);

} // namespace gradtidy
