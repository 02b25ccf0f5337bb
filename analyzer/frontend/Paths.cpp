#include "Paths.h"

#include "analyzer/source/Paths.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallString.h"

namespace gradtidy {

std::string cleanPath(llvm::StringRef path, llvm::StringRef folder) {
  return path.empty() ? std::string() : absolutePath(path, folder);
}

std::string cleanPath(const clang::FileEntryRef &file, const clang::SourceManager &sources) {
  return cleanPath(file, sources.getFileManager());
}

std::string cleanPath(const clang::FileEntryRef &file, const clang::FileManager &files) {
  llvm::SmallString<256> path(file.getName());
  files.makeAbsolutePath(path);
  return absolutePath(path, "/");
}

} // namespace gradtidy
