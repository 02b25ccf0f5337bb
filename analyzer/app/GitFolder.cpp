#include "GitFolder.h"

#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/Paths.h"
#include "llvm/Support/FileSystem.h"

namespace gradtidy {

std::string gitFolder(llvm::StringRef top) {
  std::string folder = absolutePath(".git", top);
  if (llvm::sys::fs::is_regular_file(folder)) {
    const auto link = readFileIfPossible(folder);
    llvm::StringRef target = link ? link->getBuffer().trim() : llvm::StringRef();
    if (!target.consume_front("gitdir:"))
      return {};
    folder = absolutePath(target.trim(), top);
  }
  return llvm::sys::fs::is_directory(folder) ? folder : std::string();
}

} // namespace gradtidy
