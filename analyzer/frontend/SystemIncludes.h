// Headers of the project that count as system headers: nothing in them is analyzed, which is to be
// said, since a change may make them such.
#pragma once

#include "UserCode.h"
#include "clang/Basic/FileEntry.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <set>
#include <string>

namespace clang {
class Preprocessor;
} // namespace clang

namespace gradtidy {

/// Observes a parse from its beginning to its end.
class SystemIncludes : public clang::PPCallbacks {
public:
  /// Both must outlive this object.
  SystemIncludes(const clang::Preprocessor &preprocessor, const UserCode &userCode)
      : preprocessor(preprocessor), userCode(userCode) {}

  /// The paths of those that \p source and the user's headers that it reads include themselves: by
  /// -isystem and the like, or with `#pragma GCC system_header`.
  std::set<std::string> of(const clang::FileEntry &source) const;

  void InclusionDirective(clang::SourceLocation hash, const clang::Token &, llvm::StringRef, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind kind) override;
  void FileChanged(clang::SourceLocation location, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override;

private:
  const clang::Preprocessor &preprocessor;
  const UserCode &userCode;
  /// What files that are no system headers include.
  llvm::DenseMap<const clang::FileEntry *, llvm::SmallSetVector<clang::FileEntryRef, 4>> included;
  /// As what a file was first included, or what it said of itself.
  llvm::DenseMap<const clang::FileEntry *, clang::SrcMgr::CharacteristicKind> kinds;
};

} // namespace gradtidy
