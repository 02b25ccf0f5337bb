// The files that a unit depends on: those it reads, and those it looks for in vain.
#pragma once

#include "Frontend.h"
#include "clang/Basic/FileEntry.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/SetVector.h"

#include <chrono>
#include <optional>
#include <set>
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
      : compiler(compiler), mainFile(mainFile) {}

  /// As in Unit.
  std::vector<ReadFile> files() const;
  std::optional<std::vector<std::string>> absentFiles() const;

  void LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                        clang::SrcMgr::CharacteristicKind, clang::FileID,
                        clang::SourceLocation) override;
  bool FileNotFound(llvm::StringRef name) override;
  bool EmbedFileNotFound(llvm::StringRef) override;

private:
  std::vector<std::string> searchedFolders() const;
  std::string absolute(llvm::StringRef path) const;

  clang::CompilerInstance &compiler;
  const llvm::StringRef mainFile;
  const std::chrono::system_clock::time_point begin = std::chrono::system_clock::now();
  llvm::SmallSetVector<clang::FileEntryRef, 32> entries;
  std::set<std::string> absent;
  bool knowsAbsent = true;
};

} // namespace gradtidy
