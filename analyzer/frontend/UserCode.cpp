#include "UserCode.h"
#include "Paths.h"
#include "analyzer/source/Paths.h"

#include "clang/Basic/FileManager.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

namespace {

std::string filePath(llvm::StringRef path, const clang::FileManager &files) {
  llvm::SmallString<256> absolute = path;
  files.makeAbsolutePath(absolute);
  return cleanPath(absolute, {});
}

std::string folderOf(llvm::StringRef path, const clang::FileManager &files) {
  llvm::SmallString<256> absolute = path;
  files.makeAbsolutePath(absolute);
  return folderPath(absolute);
}

class FrameworkFinder : public clang::PPCallbacks {
public:
  FrameworkFinder(const clang::FileManager &files, const std::vector<std::string> &headers,
                  UserCode &userCode)
      : files(files), headers(headers), userCode(userCode) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token &, llvm::StringRef, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    if (!file)
      return;
    for (llvm::StringRef header : headers) {
      llvm::StringRef path = file->getName();
      if (path.consume_back(header) && path.ends_with("/"))
        userCode.addFrameworkFolder(folderOf(path, files));
    }
  }

private:
  const clang::FileManager &files;
  const std::vector<std::string> &headers;
  UserCode &userCode;
};

} // namespace

UserCode::UserCode(llvm::StringRef root) : projectRoot(root.empty() ? "" : folderPath(root)) {}

void UserCode::addFrameworkFolder(llvm::StringRef folder) {
  folder = folder.rtrim('/');
  if (llvm::is_contained(frameworkFolders, folder))
    return;
  frameworkFolders.push_back(folder.str());
  known.clear();
}

void UserCode::addFrameworkFolder(llvm::StringRef folder, llvm::StringRef header) {
  addFrameworkFolder(folder);
  const std::string path = (folder.rtrim('/') + "/" + header).str();
  if (!llvm::is_contained(frameworkHeaders, path))
    frameworkHeaders.push_back(path);
}

std::vector<std::string> UserCode::frameworkHeadersWithin() const {
  std::vector<std::string> found;
  if (!everything)
    llvm::copy_if(frameworkHeaders, std::back_inserter(found), [&](const std::string &path) {
      return liesIn(path, projectRoot) || liesIn(realPath(path), projectRoot);
    });
  return found;
}

void UserCode::includeEverything() {
  everything = true;
  known.clear();
}

bool UserCode::contains(clang::SourceLocation location, const clang::SourceManager &sources) const {
  if (location.isInvalid())
    return false;
  location = sources.getFileLoc(location);
  const clang::FileID id = sources.getFileID(location);
  if (id == sources.getMainFileID())
    return true;
  if (const auto found = known.find(id); found != known.end())
    return found->second;

  const clang::OptionalFileEntryRef file = sources.getFileEntryRefForID(id);
  const bool result = file && containsFile(*file, sources.getFileCharacteristic(location),
                                           sources.getFileManager());
  known[id] = result;
  return result;
}

bool UserCode::containsFile(const clang::FileEntryRef &file, clang::SrcMgr::CharacteristicKind kind,
                            const clang::FileManager &files) const {
  if (everything)
    return true;
  const std::string path = filePath(file.getName(), files);
  return !clang::SrcMgr::isSystem(kind) && !isFramework(path) &&
         (liesIn(path, projectRoot) || liesIn(realPath(path), projectRoot));
}

bool UserCode::isFrameworkFile(const clang::FileEntryRef &file,
                               const clang::FileManager &files) const {
  return isFramework(filePath(file.getName(), files));
}

bool UserCode::mayHold(llvm::StringRef folder) const {
  const std::string path = folderPath(folder);
  return everything || (!isFramework(path) && liesIn(path, projectRoot));
}

bool UserCode::isFramework(llvm::StringRef path) const {
  return llvm::any_of(frameworkFolders,
                      [&](llvm::StringRef folder) { return liesIn(path, folder); });
}

void findFrameworkFolders(clang::Preprocessor &preprocessor,
                          const std::vector<std::string> &headers, UserCode &userCode) {
  clang::FileManager &files = preprocessor.getFileManager();
  // The include path tells it before the first declaration is parsed, and also where includes are
  // not seen: behind a precompiled header or the preamble of an editor.
  for (const clang::DirectoryLookup &folder :
       preprocessor.getHeaderSearchInfo().search_dir_range()) {
    if (!folder.isNormalDir())
      continue;
    for (llvm::StringRef header : headers) {
      llvm::SmallString<256> path = folder.getDirRef()->getName();
      llvm::sys::path::append(path, header);
      if (files.getOptionalFileRef(path))
        userCode.addFrameworkFolder(folderOf(folder.getDirRef()->getName(), files), header);
    }
  }
  preprocessor.addPPCallbacks(std::make_unique<FrameworkFinder>(files, headers, userCode));
}

/// The nearest parent of \p file that holds one of \p names, or empty.
static llvm::StringRef parentWith(llvm::ArrayRef<llvm::StringRef> names, llvm::StringRef file) {
  for (llvm::StringRef folder = llvm::sys::path::parent_path(file); !folder.empty();
       folder = llvm::sys::path::parent_path(folder))
    for (llvm::StringRef name : names) {
      llvm::SmallString<256> path = folder;
      llvm::sys::path::append(path, name);
      if (llvm::sys::fs::exists(path))
        return folder;
    }
  return {};
}

std::string findProjectRoot(llvm::StringRef file, llvm::StringRef fallback) {
  llvm::StringRef root = parentWith({".git"}, file);
  if (root.empty())
    root = parentWith({".hg", ".svn", ".jj"}, file);
  return (root.empty() ? fallback : root).str();
}

} // namespace gradtidy
