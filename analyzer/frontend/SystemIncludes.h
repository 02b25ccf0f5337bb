// Headers of the project that count as the system's or the framework's: nothing in them is
// analyzed, which is to be said, since a change may make them such.
#pragma once

#include "UserCode.h"
#include "clang/Basic/FileEntry.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <set>
#include <string>
#include <vector>

namespace clang {
class Preprocessor;
} // namespace clang

namespace gradtidy {

/// Observes a parse from its beginning to its end.
class SystemIncludes : public clang::PPCallbacks {
public:
  /// Where code is the user's.
  struct Scope {
    const UserCode &userCode;
    const std::string &projectRoot;
    const std::vector<std::string> &frameworkHeaders; ///< As in UserCode.h.
  };

  /// All must outlive this object.
  SystemIncludes(const clang::Preprocessor &preprocessor, const Scope &scope)
      : preprocessor(preprocessor), scope(scope) {}

  /// The paths of those that \p source and the user's headers that it reads include themselves: by
  /// -isystem and the like, with `#pragma GCC system_header`, or in a framework's folder by a name
  /// that is none of the framework's ("loop.h", where "torch/nn.h" would be one).
  std::set<std::string> of(const clang::FileEntry &source) const;

  void InclusionDirective(clang::SourceLocation hash, const clang::Token &, llvm::StringRef name,
                          bool, clang::CharSourceRange, clang::OptionalFileEntryRef file,
                          llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind kind) override;
  void FileChanged(clang::SourceLocation location, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override;

private:
  bool isHidden(clang::FileEntryRef file) const;
  bool isNameOfFramework(llvm::StringRef name) const;

  const clang::Preprocessor &preprocessor;
  const Scope scope;
  /// What files that are no system headers include.
  llvm::DenseMap<const clang::FileEntry *, llvm::SmallSetVector<clang::FileEntryRef, 4>> included;
  /// As what a file was first included, or what it said of itself.
  llvm::DenseMap<const clang::FileEntry *, clang::SrcMgr::CharacteristicKind> kinds;
  FileSet otherNames; ///< Files included by names that are none of a framework's.
};

} // namespace gradtidy
