// Clang's own headers (stddef.h).
#pragma once

#include <string>
#include <vector>

namespace gradtidy {

/// Has the command line \p arguments use the headers of the installation that this program belongs
/// to, else of the LLVM that it was built with, unless it names others. Clang would look for them
/// beside the program.
void addResourceFolder(std::vector<std::string> &arguments);

} // namespace gradtidy
