#include "Paths.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

std::string cleanPath(llvm::StringRef path, llvm::StringRef folder) {
  if (path.empty())
    return {};
  llvm::SmallString<256> absolute;
  if (!llvm::sys::path::is_absolute(path))
    absolute = folder;
  llvm::sys::path::append(absolute, path);
  llvm::sys::path::remove_dots(absolute);
  if (!absolute.str().contains(".."))
    return std::string(absolute);

  llvm::SmallString<256> shorter = absolute;
  llvm::sys::path::remove_dots(shorter, /*remove_dot_dot=*/true);
  bool same = false;
  if (llvm::sys::fs::equivalent(absolute, shorter, same) || !same)
    return std::string(absolute);
  return std::string(shorter);
}

} // namespace gradtidy
