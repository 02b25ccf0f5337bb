// Code that conditions keep from clang and leave to other compilers, such as the one that builds
// the program. It is named, since a change under review may hide code in this way.
#pragma once

#include "clang/Basic/FileEntry.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class Preprocessor;
} // namespace clang

namespace gradtidy {

class UserCode;

/// Observes a parse from its beginning to its end.
///
/// A condition asks for the compiler if it names what other compilers lack or have another value
/// for (`__clang__`, `__has_feature`, `__GNUC__ > 5`), or a macro that tells compilers apart: one
/// that such a condition defines, or that is made of such names. Code is hidden where such a
/// condition leaves out functions, and where such a macro takes the place of statements, members or
/// arguments with statements in them.
class OtherCompilers : public clang::PPCallbacks {
public:
  /// Both must outlive this object.
  OtherCompilers(const clang::Preprocessor &preprocessor, const UserCode &userCode)
      : preprocessor(preprocessor), userCode(userCode) {}

  /// Where code is hidden in one of \p files: "/a/loop.h:12".
  std::set<std::string> placesIn(const llvm::DenseSet<const clang::FileEntry *> &files) const;

  /// The macros that tell compilers apart, and what was read before said so of.
  std::vector<std::string> tellingMacros() const;
  void addTellingMacros(llvm::ArrayRef<std::string> names);

  void If(clang::SourceLocation begin, clang::SourceRange, ConditionValueKind) override;
  void Elif(clang::SourceLocation, clang::SourceRange, ConditionValueKind,
            clang::SourceLocation begin) override;
  void Ifdef(clang::SourceLocation begin, const clang::Token &macro,
             const clang::MacroDefinition &) override;
  void Ifndef(clang::SourceLocation begin, const clang::Token &macro,
              const clang::MacroDefinition &) override;
  void Else(clang::SourceLocation, clang::SourceLocation begin) override;
  void PragmaDirective(clang::SourceLocation begin, clang::PragmaIntroducerKind) override;
  void Endif(clang::SourceLocation, clang::SourceLocation begin) override;
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override;
  void MacroDefined(const clang::Token &name, const clang::MacroDirective *directive) override;
  void MacroUndefined(const clang::Token &name, const clang::MacroDefinition &,
                      const clang::MacroDirective *directive) override;
  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &definition,
                    clang::SourceRange range, const clang::MacroArgs *arguments) override;

private:
  /// Whether a macro tells compilers apart, and by whose doing.
  struct Telling {
    const clang::FileEntry *definer = nullptr; ///< Null for what was read before.
    bool isChosen = false; ///< A condition that asks for the compiler chooses its definition.
  };
  /// That a condition asks for the compiler.
  struct Asking {
    const clang::FileEntry *definer = nullptr; ///< Of the macro that it names; null for none.
  };

  /// The user's file at \p location, or nothing.
  clang::OptionalFileEntryRef userFileAt(clang::SourceLocation location) const;
  std::optional<Asking> asks(llvm::StringRef condition) const;
  /// The chain of branches that begins at \p begin has the condition \p text.
  void ask(clang::SourceLocation begin, llvm::StringRef text);
  /// Whether a condition that asks for the compiler is around what is read.
  bool isWithinAsking() const;
  void tell(llvm::StringRef macro, const clang::FileEntry &definer, bool isChosen);
  void hide(clang::FileEntryRef file, clang::SourceLocation location, Asking by);

  const clang::Preprocessor &preprocessor;
  const UserCode &userCode;
  llvm::DenseMap<clang::SourceLocation, Asking> asking; ///< Chains that ask for the compiler.
  llvm::SmallVector<clang::SourceLocation, 8> open;     ///< Chains that have not ended.
  clang::SourceLocation chain;                          ///< That of the last condition.
  llvm::StringMap<Telling> telling;

  struct Place {
    std::string text;
    Asking by;
  };
  llvm::DenseMap<const clang::FileEntry *, std::vector<Place>> hidden;
};

} // namespace gradtidy
