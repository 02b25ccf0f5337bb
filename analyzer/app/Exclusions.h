// Files that a user does not want to hear of: --exclude and ml.Exclude.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

#include <vector>

namespace gradtidy {

class Exclusions {
public:
  /// \param globs separated by semicolons; one that is no glob is an error.
  static llvm::Expected<Exclusions> parse(llvm::StringRef globs);

  /// Whether a glob matches the name of \p file, its path below \p root, or the name or path of a
  /// folder above it there. A file elsewhere is matched by its name and whole path.
  bool contain(llvm::StringRef file, llvm::StringRef root) const;

private:
  std::vector<llvm::GlobPattern> patterns;
};

} // namespace gradtidy
