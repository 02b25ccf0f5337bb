// Which files can have been written by nobody but the user.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

struct stat;

namespace gradtidy {

/// Whether a file of this \p status belongs to the user or to root and nobody else may write it. A
/// group that has the user as its only member is the user.
bool isPrivate(const struct stat &status);

/// Why others may put something in the place of what lies in \p folder, an absolute path without
/// symbolic links: it, or one of its parents, belongs to somebody else or can be written by others.
/// Empty if none does. In folders such as /tmp, whose sticky bit keeps others from renaming what is
/// not theirs, a private folder is safe.
std::string whyShared(llvm::StringRef folder);

} // namespace gradtidy
