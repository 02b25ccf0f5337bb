#include "FileCollector.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

namespace path = llvm::sys::path;

std::vector<ReadFile> FileCollector::files() const {
  clang::SourceManager &sources = compiler.getSourceManager();
  std::vector<ReadFile> files;
  for (const clang::FileEntryRef entry : entries)
    if (const auto buffer = sources.getMemoryBufferForFileOrNone(entry)) {
      const std::string path = absolute(entry.getName());
      const bool isMain = entry == sources.getFileEntryRefForID(sources.getMainFileID());
      const llvm::StringRef text = isMain && !mainFile.empty() ? mainFile : buffer->getBuffer();
      files.push_back({path, FileIdentity::of(text, path, begin)});
    }
  return files;
}

std::optional<std::vector<std::string>> FileCollector::absentFiles() const {
  if (!knowsAbsent)
    return std::nullopt;
  return std::vector<std::string>(absent.begin(), absent.end());
}

void FileCollector::LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                                     clang::SrcMgr::CharacteristicKind, clang::FileID,
                                     clang::SourceLocation) {
  if (reason == LexedFileChangeReason::EnterFile)
    if (const auto entry = compiler.getSourceManager().getFileEntryRefForID(file))
      entries.insert(*entry);
}

bool FileCollector::FileNotFound(llvm::StringRef name) {
  std::vector<std::string> folders = searchedFolders();
  const clang::PreprocessorLexer *lexer = compiler.getPreprocessor().getCurrentFileLexer();
  if (const auto includer = lexer ? lexer->getFileEntry() : std::nullopt)
    folders.push_back(absolute(path::parent_path(includer->getName())));
  else
    knowsAbsent = false; // -include: who says in which order that is looked for?
  for (const std::string &folder : folders) {
    llvm::SmallString<256> file(folder);
    if (path::is_absolute(name))
      file = name;
    else
      path::append(file, name);
    // What is there is not what the directive means: "…" is looked for in more folders than <…>.
    if (!compiler.getFileManager().getOptionalFileRef(file))
      absent.emplace(file);
  }
  return false;
}

bool FileCollector::EmbedFileNotFound(llvm::StringRef) {
  knowsAbsent = false;
  return false;
}

/// Those of the command line, which the search leaves out as long as they do not exist, and those
/// of partners.
std::vector<std::string> FileCollector::searchedFolders() const {
  std::vector<std::string> folders;
  for (const auto &entry : compiler.getHeaderSearchOpts().UserEntries)
    folders.push_back(absolute(entry.Path));
  for (const clang::DirectoryLookup &folder :
       compiler.getPreprocessor().getHeaderSearchInfo().search_dir_range())
    folders.push_back(absolute(folder.getName()));
  return folders;
}

std::string FileCollector::absolute(llvm::StringRef path) const {
  llvm::SmallString<256> absolute(path);
  compiler.getFileManager().makeAbsolutePath(absolute);
  return std::string(absolute);
}

} // namespace gradtidy
