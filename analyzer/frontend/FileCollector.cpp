#include "FileCollector.h"

#include "clang/Frontend/CompilerInstance.h"

namespace gradtidy {

std::vector<ReadFile> FileCollector::files() const {
  clang::SourceManager &sources = compiler.getSourceManager();
  std::vector<ReadFile> files;
  for (const clang::FileEntryRef entry : entries)
    if (const auto buffer = sources.getMemoryBufferForFileOrNone(entry)) {
      const std::string path = search.absolute(entry.getName());
      const bool isMain = entry == sources.getFileEntryRefForID(sources.getMainFileID());
      const llvm::StringRef text = isMain && !mainFile.empty() ? mainFile : buffer->getBuffer();
      files.push_back({path, FileIdentity::of(text, path, begin)});
    }
  return files;
}

std::optional<std::vector<Lookup>>
FileCollector::lookups(const std::vector<std::string> &frameworkHeaders) {
  if (!isComplete)
    return std::nullopt;
  search.addEverywhere(frameworkHeaders);
  return search.lookups();
}

void FileCollector::LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                                     clang::SrcMgr::CharacteristicKind, clang::FileID,
                                     clang::SourceLocation) {
  if (reason == LexedFileChangeReason::EnterFile)
    if (const auto entry = compiler.getSourceManager().getFileEntryRefForID(file))
      entries.insert(*entry);
}

void FileCollector::InclusionDirective(clang::SourceLocation, const clang::Token &,
                                       llvm::StringRef name, bool isAngled, clang::CharSourceRange,
                                       clang::OptionalFileEntryRef file, llvm::StringRef,
                                       llvm::StringRef, const clang::Module *, bool,
                                       clang::SrcMgr::CharacteristicKind) {
  search.add(name, isAngled, file);
}

void FileCollector::HasInclude(clang::SourceLocation, llvm::StringRef name, bool isAngled,
                               clang::OptionalFileEntryRef file,
                               clang::SrcMgr::CharacteristicKind) {
  search.add(name, isAngled, file);
  if (file) // It may go.
    entries.insert(*file);
}

bool FileCollector::EmbedFileNotFound(llvm::StringRef) {
  isComplete = false;
  return false;
}

void FileCollector::EmbedDirective(clang::SourceLocation, llvm::StringRef, bool,
                                   clang::OptionalFileEntryRef,
                                   const clang::LexEmbedParametersResult &) {
  isComplete = false;
}

void FileCollector::HasEmbed(clang::SourceLocation, llvm::StringRef, bool,
                             clang::OptionalFileEntryRef) {
  isComplete = false;
}

} // namespace gradtidy
