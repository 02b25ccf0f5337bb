// Headers that the preprocessor keeps from the analysis although they are the project's, which is
// to be said, since a change may bring it about: those that count as the system's or the
// framework's, and those of a project around the unit's own.
#pragma once

#include "OtherCompilers.h"
#include "UserCode.h"
#include "llvm/ADT/SetVector.h"

namespace gradtidy {

/// Observes a parse from its beginning to its end.
class SystemIncludes : public OtherCompilers {
public:
  /// Where code is the user's.
  struct Scope {
    const UserCode &userCode;
    const std::string &projectRoot;
    const std::vector<std::string> &frameworkHeaders; ///< As in UserCode.h.
  };

  /// All must outlive this object.
  SystemIncludes(const clang::Preprocessor &preprocessor, const Scope &scope)
      : OtherCompilers(preprocessor, scope.userCode), preprocessor(preprocessor), scope(scope) {}

  /// The paths of those that \p source and the user's headers that it reads include themselves: by
  /// -isystem and the like, with `#pragma GCC system_header`, or in a framework's folder by a name
  /// that is none of the framework's ("loop.h", where "torch/nn.h" would be one); and the header
  /// itself that makes the folder one of the framework's. In place of a header that CMake has made
  /// of those that a target precompiles, these.
  std::set<std::string> of(const clang::FileEntry &source) const;

  /// The same for those that lie outside of the project, but in the one around it: where the unit
  /// is in a folder with a .git of its own, such as a submodule.
  std::set<std::string> outer(const clang::FileEntry &source) const;

  /// Where \p source and the user's headers that it reads hide code from clang (see
  /// OtherCompilers).
  std::set<std::string> forOtherCompilers(const clang::FileEntry &source) const;

  void InclusionDirective(clang::SourceLocation hash, const clang::Token &, llvm::StringRef name,
                          bool, clang::CharSourceRange, clang::OptionalFileEntryRef file,
                          llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind kind) override;
  void FileChanged(clang::SourceLocation location, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override;

private:
  /// Calls \p visit for \p source and the user's headers that it reads; what these include besides
  /// is given to \p others.
  void forEach(const clang::FileEntry &source,
               llvm::function_ref<void(const clang::FileEntry &)> visit,
               llvm::function_ref<void(clang::FileEntryRef)> others) const;
  bool isHidden(clang::FileEntryRef file) const;
  bool isNameOfFramework(llvm::StringRef name) const;

  const clang::Preprocessor &preprocessor;
  const Scope scope;
  /// What files that are no system headers include.
  llvm::DenseMap<const clang::FileEntry *, llvm::SmallSetVector<clang::FileEntryRef, 4>> included;
  /// As what a file was first included; a system's if it was ever read, or said of itself, so.
  llvm::DenseMap<const clang::FileEntry *, clang::SrcMgr::CharacteristicKind> kinds;
  FileSet otherNames; ///< Files included by names that are none of a framework's.
};

} // namespace gradtidy
