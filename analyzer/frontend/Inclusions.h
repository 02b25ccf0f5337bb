// How the user's files of one parse depend on each other: what they include, and whose macros they
// use.
#pragma once

#include "FrameworkIncludes.h"
#include "MacroObserver.h"
#include "UserCode.h"
#include "clang/Basic/FileEntry.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace gradtidy {

/// Observes a parse from its beginning to its end.
class Inclusions : public MacroObserver {
public:
  /// Both must outlive this object.
  Inclusions(const clang::Preprocessor &preprocessor, const UserCode &userCode)
      : MacroObserver(preprocessor), userCode(userCode) {}

  /// The user's file in which \p location lies, or null.
  const clang::FileEntry *fileAt(clang::SourceLocation location) const;

  /// \p source and what it includes, and that in turn, whoever was the first to include it.
  FileSet reachedFrom(const clang::FileEntry *source) const;

  /// Whether the preprocessor would make the same of \p source and of what it includes, \p files,
  /// if it read nothing else.
  bool standAlone(const clang::FileEntry *source, const FileSet &files) const;

  /// What \p files do that may change a framework's headers behind them.
  Foreword forewordOf(const FileSet &files) const;

  void InclusionDirective(clang::SourceLocation hash, const clang::Token &, llvm::StringRef, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override;
  void MacroDefined(const clang::Token &name, const clang::MacroDirective *) override;

private:
  struct Facts {
    FileSet included, macrosOf; ///< Null stands for text without a file.
    llvm::StringSet<> defined, missed;
    bool seesHeader = false; ///< As in Foreword.
  };

  void ask(const clang::Token &name, const clang::MacroDefinition &macro) override;
  void use(const clang::Token &name, const clang::MacroDefinition &macro) override;
  void addDefinition(Facts &file, clang::SourceLocation definition);

  const UserCode &userCode;
  llvm::DenseMap<const clang::FileEntry *, Facts> factsOf;
};

} // namespace gradtidy
