#include "Paths.h"

#include "analyzer/source/Paths.h"

namespace gradtidy {

std::string cleanPath(llvm::StringRef path, llvm::StringRef folder) {
  return path.empty() ? std::string() : absolutePath(path, folder);
}

} // namespace gradtidy
