#include "Paths.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

namespace path = llvm::sys::path;

std::string cleanPath(llvm::StringRef name, llvm::StringRef folder) {
  if (name.empty())
    return {};
  llvm::SmallString<256> absolute;
  if (!path::is_absolute(name))
    absolute = folder;
  path::append(absolute, name);
  path::remove_dots(absolute);
  if (!absolute.str().contains(".."))
    return std::string(absolute);

  llvm::SmallString<256> shorter = absolute;
  path::remove_dots(shorter, /*remove_dot_dot=*/true);
  bool same = false;
  if (llvm::sys::fs::equivalent(absolute, shorter, same) || !same)
    return std::string(absolute);
  return std::string(shorter);
}

} // namespace gradtidy
