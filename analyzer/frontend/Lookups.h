// Where a parse looked for headers in vain: one that turns up there changes what is included.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace gradtidy {

/// Names, as written in directives, that none of the folders (absolute) has.
struct Lookup {
  std::vector<std::string> folders, names;
  bool operator==(const Lookup &) const = default;
};

/// Says whether lookups still find nothing. Each folder is read once.
class LookupChecker {
public:
  bool holds(const std::vector<Lookup> &lookups);

private:
  bool has(const std::string &folder, llvm::StringRef name);

  llvm::StringMap<llvm::StringSet<>> entries; ///< By folder.
  llvm::StringMap<bool> files;                ///< Whether there is one.
};

} // namespace gradtidy
