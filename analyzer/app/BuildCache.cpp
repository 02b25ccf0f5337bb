#include "BuildCache.h"

#include <stdexcept>

namespace gradtidy {

CacheFolder openBuildCache(const CommandLine &commandLine, llvm::StringRef name,
                           std::optional<ScratchFolder> &scratch) {
  std::string folder = commandLine.cacheFolder;
  if (!folder.empty()) {
    folder += "/" + name.str();
    if (const std::string why = CacheFolder(folder, 0).open(); !why.empty()) {
      CacheTrouble().tell(commandLine.cacheFolder, why);
      folder.clear();
    }
  }
  if (folder.empty()) {
    folder = scratch.emplace().path();
    if (folder.empty())
      throw std::runtime_error("cannot make a temporary folder");
  }
  return CacheFolder(folder, uint64_t(commandLine.cacheLimit) << 20);
}

} // namespace gradtidy
