// Macros that a missing header would have defined, without which clang drops code: those in front
// of class names, with which a build exports the class (`class NET_EXPORT Net { … }`), and those of
// tests (`TEST_CASE("trains") { … }`).
#pragma once

#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseSet.h"

namespace gradtidy {

class UserCode;

/// Defines them as soon as a header is missing: as nothing, names in capitals between `class` or
/// `struct` and the name of a class that is defined there; as the head of a function, those with
/// arguments where a declaration should begin, and a block behind.
class MissingMacros : public clang::PPCallbacks {
public:
  /// All must outlive this object.
  /// \param headerIsMissing as for MissingNames.
  MissingMacros(clang::Preprocessor &preprocessor, const UserCode &userCode,
                const bool &headerIsMissing)
      : preprocessor(preprocessor), userCode(userCode), headerIsMissing(headerIsMissing) {}

  bool FileNotFound(llvm::StringRef name) override;
  void LexedFileChanged(clang::FileID file, LexedFileChangeReason,
                        clang::SrcMgr::CharacteristicKind, clang::FileID,
                        clang::SourceLocation) override;

private:
  void defineMacrosOf(clang::FileID file);
  void define(llvm::StringRef name, clang::MacroInfo *meaning);
  clang::MacroInfo *functionOf(clang::SourceLocation place);

  static constexpr llvm::StringLiteral function =
      "static void test_of_missing_macro(int (*)[__COUNTER__ + 1])";

  clang::Preprocessor &preprocessor;
  const UserCode &userCode;
  const bool &headerIsMissing;
  llvm::DenseSet<clang::FileID> seen;
};

} // namespace gradtidy
