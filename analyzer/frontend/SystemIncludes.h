// What the preprocessor keeps from the analysis although it is the project's, which is to be said,
// since a change may bring it about: headers that count as the system's or the framework's, and
// code for other compilers.
#pragma once

#include "UserCode.h"
#include "clang/Basic/FileEntry.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
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
  /// that is none of the framework's ("loop.h", where "torch/nn.h" would be one); and the header
  /// itself that makes the folder one of the framework's.
  std::set<std::string> of(const clang::FileEntry &source) const;

  /// Where \p source and the user's headers that it reads have functions that a condition which
  /// asks for the compiler (`#ifndef __clang__`) leaves out: "/a/loop.h:12", the line of the
  /// condition.
  std::set<std::string> forOtherCompilers(const clang::FileEntry &source) const;

  void InclusionDirective(clang::SourceLocation hash, const clang::Token &, llvm::StringRef name,
                          bool, clang::CharSourceRange, clang::OptionalFileEntryRef file,
                          llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind kind) override;
  void FileChanged(clang::SourceLocation location, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override;

  void If(clang::SourceLocation begin, clang::SourceRange, ConditionValueKind) override;
  void Elif(clang::SourceLocation, clang::SourceRange, ConditionValueKind,
            clang::SourceLocation begin) override;
  void Ifdef(clang::SourceLocation begin, const clang::Token &macro,
             const clang::MacroDefinition &) override;
  void Ifndef(clang::SourceLocation begin, const clang::Token &macro,
              const clang::MacroDefinition &) override;
  void Else(clang::SourceLocation, clang::SourceLocation begin) override;
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override;

private:
  /// Calls \p visit for \p source and the user's headers that it reads; what these include besides
  /// is given to \p others.
  void forEach(const clang::FileEntry &source,
               llvm::function_ref<void(const clang::FileEntry &)> visit,
               llvm::function_ref<void(clang::FileEntryRef)> others) const;
  /// The chain of branches that begins at \p begin has the condition \p text.
  void ask(clang::SourceLocation begin, llvm::StringRef text);
  bool isHidden(clang::FileEntryRef file) const;
  bool isNameOfFramework(llvm::StringRef name) const;

  const clang::Preprocessor &preprocessor;
  const Scope scope;
  /// What files that are no system headers include.
  llvm::DenseMap<const clang::FileEntry *, llvm::SmallSetVector<clang::FileEntryRef, 4>> included;
  /// As what a file was first included, or what it said of itself.
  llvm::DenseMap<const clang::FileEntry *, clang::SrcMgr::CharacteristicKind> kinds;
  FileSet otherNames; ///< Files included by names that are none of a framework's.
  llvm::DenseSet<clang::SourceLocation> asking; ///< Chains of branches that ask for the compiler.
  clang::SourceLocation chain;                  ///< That of the last condition.
  llvm::DenseMap<const clang::FileEntry *, std::set<std::string>> skipped;
};

} // namespace gradtidy
