// The text of a unit and the order of places in it.
#pragma once

#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"

namespace gradtidy {

class Source {
public:
  /// Both must outlive this object.
  Source(const clang::SourceManager &manager, const clang::LangOptions &language)
      : manager(manager), language(language) {}

  /// The tokens in \p range; empty in a macro.
  llvm::StringRef text(clang::SourceRange range) const;

  /// The white space in front of the line of \p location.
  llvm::StringRef indentation(clang::SourceLocation location) const;

  /// Whether the file of \p location has \p word, a name.
  bool hasWord(clang::SourceLocation location, llvm::StringRef word) const;

  /// Whether \p a stands before \p b in the unit.
  bool isBefore(clang::SourceLocation a, clang::SourceLocation b) const {
    return manager.isBeforeInTranslationUnit(a, b);
  }

  /// Behind the token at \p location.
  clang::SourceLocation behind(clang::SourceLocation location) const;

  /// Behind the semicolon that follows the token at \p location; invalid where none does.
  clang::SourceLocation behindSemicolon(clang::SourceLocation location) const;

  const clang::SourceManager &manager;
  const clang::LangOptions &language;
};

} // namespace gradtidy
