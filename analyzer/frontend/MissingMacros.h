// The macros in front of class names that a missing header would have defined. A build makes the
// header with them (`class NET_EXPORT Net { … }`), and without them clang takes the class for a
// variable and drops it with all that is in it.
#pragma once

#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseSet.h"

namespace gradtidy {

class UserCode;

/// Defines them as nothing, as soon as a header is missing: names in capitals, such as export
/// macros have, between `class` or `struct` and the name of a class that is defined there.
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

  clang::Preprocessor &preprocessor;
  const UserCode &userCode;
  const bool &headerIsMissing;
  llvm::DenseSet<clang::FileID> seen;
};

} // namespace gradtidy
