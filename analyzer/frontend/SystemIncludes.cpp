#include "SystemIncludes.h"
#include "Paths.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallString.h"

#include <vector>

namespace gradtidy {

namespace SrcMgr = clang::SrcMgr;

std::set<std::string> SystemIncludes::of(const clang::FileEntry &source) const {
  const clang::FileManager &files = preprocessor.getFileManager();
  std::set<std::string> found;
  llvm::DenseSet<const clang::FileEntry *> reached = {&source};
  std::vector<const clang::FileEntry *> open = {&source};
  while (!open.empty()) {
    const auto next = included.find(open.back());
    open.pop_back();
    if (next == included.end())
      continue;
    for (const clang::FileEntryRef file : next->second) {
      if (!reached.insert(&file.getFileEntry()).second)
        continue;
      open.push_back(&file.getFileEntry());
      const SrcMgr::CharacteristicKind kind = kinds.lookup(&file.getFileEntry());
      if (!userCode.containsFile(file, kind, files) &&
          userCode.containsFile(file, SrcMgr::C_User, files)) {
        llvm::SmallString<256> path = file.getName();
        files.makeAbsolutePath(path);
        found.insert(cleanPath(path, {}));
      }
    }
  }
  return found;
}

void SystemIncludes::InclusionDirective(clang::SourceLocation hash, const clang::Token &,
                                        llvm::StringRef, bool, clang::CharSourceRange,
                                        clang::OptionalFileEntryRef file, llvm::StringRef,
                                        llvm::StringRef, const clang::Module *, bool,
                                        SrcMgr::CharacteristicKind kind) {
  if (!file)
    return;
  kinds.try_emplace(&file->getFileEntry(), kind);
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  if (SrcMgr::isSystem(sources.getFileCharacteristic(hash)))
    return;
  if (const auto *includer = sources.getFileEntryForID(sources.getFileID(hash)))
    included[includer].insert(*file);
}

void SystemIncludes::FileChanged(clang::SourceLocation location, FileChangeReason reason,
                                 SrcMgr::CharacteristicKind kind, clang::FileID) {
  if (reason != SystemHeaderPragma)
    return;
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  if (const auto *file = sources.getFileEntryForID(sources.getFileID(location)))
    kinds[file] = kind;
}

} // namespace gradtidy
