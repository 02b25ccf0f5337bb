// Where git keeps the repository of a working tree.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// The repository of the working tree with the top folder \p top: its folder .git, or the one that
/// its file .git names, as in worktrees and submodules. Empty if there is none. Git checks out
/// nothing that is called .git, so no commit of a stranger chooses it.
std::string gitFolder(llvm::StringRef top);

} // namespace gradtidy
