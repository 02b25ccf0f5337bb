// Which files can have been written by nobody but the user.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

struct stat;

namespace gradtidy {

/// Whether a file of this \p status is a regular one that belongs to the user or to root, and that
/// nobody may write, not even the user: so gradtidy leaves what it keeps, and git checks out
/// nothing that is read-only, whatever the mask.
bool isKept(const struct stat &status);

/// The same of \p file, which must be no symbolic link.
bool isKept(const std::string &file);

/// Why others may put something in the place of what lies in \p folder, an absolute path without
/// symbolic links: it, or one of its parents, belongs to somebody else or can be written by others.
/// Empty if none does. In folders such as /tmp, whose sticky bit keeps others from renaming what is
/// not theirs, a private folder is safe.
std::string whyShared(llvm::StringRef folder);

} // namespace gradtidy
