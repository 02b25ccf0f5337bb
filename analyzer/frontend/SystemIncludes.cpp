#include "SystemIncludes.h"
#include "Paths.h"
#include "analyzer/source/Paths.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

#include <vector>

namespace gradtidy {

namespace SrcMgr = clang::SrcMgr;

namespace {

std::string pathOf(clang::FileEntryRef file, const clang::FileManager &files) {
  llvm::SmallString<256> path = file.getName();
  files.makeAbsolutePath(path);
  return cleanPath(path, {});
}

} // namespace

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
      if (isHidden(file))
        found.insert(pathOf(file, files));
      if (!scope.userCode.isFrameworkFile(file, files))
        open.push_back(&file.getFileEntry());
    }
  }
  return found;
}

bool SystemIncludes::isHidden(clang::FileEntryRef file) const {
  const clang::FileManager &files = preprocessor.getFileManager();
  if (scope.userCode.containsFile(file, kinds.lookup(&file.getFileEntry()), files))
    return false;
  return scope.userCode.containsFile(file, SrcMgr::C_User, files) ||
         (otherNames.contains(&file.getFileEntry()) &&
          scope.userCode.isFrameworkFile(file, files) &&
          liesIn(realPath(pathOf(file, files)), scope.projectRoot));
}

bool SystemIncludes::isNameOfFramework(llvm::StringRef name) const {
  return llvm::any_of(scope.frameworkHeaders, [&](llvm::StringRef header) {
    return name.split('/').first == header.split('/').first;
  });
}

void SystemIncludes::InclusionDirective(clang::SourceLocation hash, const clang::Token &,
                                        llvm::StringRef name, bool, clang::CharSourceRange,
                                        clang::OptionalFileEntryRef file, llvm::StringRef,
                                        llvm::StringRef, const clang::Module *, bool,
                                        SrcMgr::CharacteristicKind kind) {
  if (!file)
    return;
  kinds.try_emplace(&file->getFileEntry(), kind);
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  if (SrcMgr::isSystem(sources.getFileCharacteristic(hash)))
    return;
  if (!isNameOfFramework(name))
    otherNames.insert(&file->getFileEntry());
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
