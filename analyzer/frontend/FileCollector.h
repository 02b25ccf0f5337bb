// The files that a unit depends on: those it reads, and those it looks for in vain.
#pragma once

#include "Frontend.h"
#include "SearchRecorder.h"
#include "clang/Basic/FileEntry.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/SetVector.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace gradtidy {

/// Observes a parse from its beginning to its end.
class FileCollector : public clang::PPCallbacks {
public:
  /// \param mainFile its text as it is on the disk, if what is parsed differs; else empty.
  /// Both must outlive this object.
  FileCollector(clang::CompilerInstance &compiler, llvm::StringRef mainFile)
      : compiler(compiler), mainFile(mainFile), search(compiler) {}

  /// As in Unit. A folder that has one of \p frameworkHeaders is a framework's.
  std::vector<ReadFile> files() const;
  std::optional<std::vector<Lookup>> lookups(const std::vector<std::string> &frameworkHeaders);

  void LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                        clang::SrcMgr::CharacteristicKind, clang::FileID,
                        clang::SourceLocation) override;
  void InclusionDirective(clang::SourceLocation, const clang::Token &, llvm::StringRef name,
                          bool isAngled, clang::CharSourceRange, clang::OptionalFileEntryRef file,
                          llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override;
  void HasInclude(clang::SourceLocation, llvm::StringRef name, bool isAngled,
                  clang::OptionalFileEntryRef file, clang::SrcMgr::CharacteristicKind) override;
  bool EmbedFileNotFound(llvm::StringRef) override;
  void EmbedDirective(clang::SourceLocation, llvm::StringRef, bool, clang::OptionalFileEntryRef,
                      const clang::LexEmbedParametersResult &) override;
  void HasEmbed(clang::SourceLocation, llvm::StringRef, bool, clang::OptionalFileEntryRef) override;

private:
  clang::CompilerInstance &compiler;
  const llvm::StringRef mainFile;
  const std::chrono::system_clock::time_point begin = std::chrono::system_clock::now();
  llvm::SmallSetVector<clang::FileEntryRef, 32> entries;
  SearchRecorder search;
  bool isComplete = true;
};

} // namespace gradtidy
