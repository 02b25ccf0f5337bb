// gradtidy completion: what shells complete, made of the table of options.
#pragma once

#include "CommandLine.h"

namespace gradtidy {

/// Prints the script for the shell that \p commandLine names: bash, zsh or fish. Returns the exit
/// status.
int printCompletion(const CommandLine &commandLine);

} // namespace gradtidy
