#include "SystemIncludes.h"
#include "Paths.h"
#include "analyzer/source/Paths.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <vector>

namespace gradtidy {

namespace SrcMgr = clang::SrcMgr;

/// Whether CMake has made the file for itself, such as the header of what a target precompiles.
static bool isOfBuild(const clang::FileEntry &file) {
  const llvm::StringRef path = file.tryGetRealPathName();
  return llvm::is_contained(
      llvm::make_range(llvm::sys::path::begin(path), llvm::sys::path::end(path)), "CMakeFiles");
}

void SystemIncludes::forEach(const clang::FileEntry &source,
                             llvm::function_ref<void(const clang::FileEntry &)> visit,
                             llvm::function_ref<void(clang::FileEntryRef)> others) const {
  llvm::DenseSet<const clang::FileEntry *> reached = {&source};
  std::vector<const clang::FileEntry *> open = {&source};
  while (!open.empty()) {
    const clang::FileEntry &next = *open.back();
    open.pop_back();
    visit(next);
    const auto files = included.find(&next);
    if (files == included.end())
      continue;
    for (const clang::FileEntryRef file : files->second) {
      if (!reached.insert(&file.getFileEntry()).second)
        continue;
      others(file);
      if (!scope.userCode.isFrameworkFile(file, preprocessor.getFileManager()))
        open.push_back(&file.getFileEntry());
    }
  }
}

std::set<std::string> SystemIncludes::of(const clang::FileEntry &source) const {
  std::set<std::string> found;
  forEach(
      source, [](const clang::FileEntry &) {},
      [&](clang::FileEntryRef file) {
        if (isHidden(file))
          found.insert(cleanPath(file, preprocessor.getFileManager()));
      });
  return found;
}

std::set<std::string> SystemIncludes::outer(const clang::FileEntry &source) const {
  const clang::FileManager &files = preprocessor.getFileManager();
  std::set<std::string> found;
  forEach(
      source, [](const clang::FileEntry &) {},
      [&](clang::FileEntryRef file) {
        if (SrcMgr::isSystem(kinds.lookup(&file.getFileEntry())) ||
            scope.userCode.containsFile(file, SrcMgr::C_User, files) ||
            scope.userCode.isFrameworkFile(file, files))
          return;
        const std::string path = cleanPath(file, files);
        const std::string root = findProjectRoot(path, path);
        if (root != path && root != scope.projectRoot && liesIn(scope.projectRoot, root))
          found.insert(path);
      });
  return found;
}

std::set<std::string> SystemIncludes::forOtherCompilers(const clang::FileEntry &source) const {
  FileSet files;
  forEach(
      source, [&](const clang::FileEntry &file) { files.insert(&file); },
      [](clang::FileEntryRef) {});
  return placesIn(files);
}

bool SystemIncludes::isHidden(clang::FileEntryRef file) const {
  const clang::FileManager &files = preprocessor.getFileManager();
  if (isOfBuild(file.getFileEntry()) ||
      scope.userCode.containsFile(file, kinds.lookup(&file.getFileEntry()), files))
    return false;
  const bool isOther = otherNames.contains(&file.getFileEntry()) ||
                       llvm::any_of(scope.frameworkHeaders, [&](const std::string &header) {
                         return file.getName().ends_with("/" + header);
                       });
  return scope.userCode.containsFile(file, SrcMgr::C_User, files) ||
         (isOther && scope.userCode.isFrameworkFile(file, files) &&
          liesIn(realPath(cleanPath(file, files)), scope.projectRoot));
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
  const auto *includer = sources.getFileEntryForID(sources.getFileID(hash));
  if (SrcMgr::isSystem(sources.getFileCharacteristic(hash)) && !(includer && isOfBuild(*includer)))
    return;
  if (!isNameOfFramework(name))
    otherNames.insert(&file->getFileEntry());
  if (!includer) // `-include`
    includer = sources.getFileEntryForID(sources.getMainFileID());
  if (includer)
    included[includer].insert(*file);
}

void SystemIncludes::FileChanged(clang::SourceLocation location, FileChangeReason reason,
                                 SrcMgr::CharacteristicKind kind, clang::FileID) {
  const bool isEntered = reason == EnterFile && SrcMgr::isSystem(kind);
  if (reason != SystemHeaderPragma && !isEntered)
    return;
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  if (const auto *file = sources.getFileEntryForID(sources.getFileID(location)))
    kinds[file] = kind;
}

} // namespace gradtidy
