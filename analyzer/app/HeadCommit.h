// The commit of a repository of git that is checked out.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// The first 12 digits of the commit that HEAD names in the repository with the top folder \p root;
/// empty where that cannot be told. Its files are read, and no git is run, which would do what the
/// repository's configuration says.
std::string headCommit(llvm::StringRef root);

} // namespace gradtidy
