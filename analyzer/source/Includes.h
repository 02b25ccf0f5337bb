// Which unit includes a header, found without parsing: directives are scanned, not preprocessed.
#pragma once

#include "Database.h"

namespace gradtidy {

/// The include relation of sources, scanned as far as asked for. Conditions are not evaluated, so a
/// unit may be named that includes the header in another configuration only. Not thread-safe.
class IncludeScan {
public:
  /// The source of \p database that includes \p header (absolute, normalised), directly or through
  /// other headers of the project; of several, the nearest by name, then by folder. Empty if none.
  std::string findUnitIncluding(const Database &database, llvm::StringRef header);

  /// Whether \p unit includes \p header, directly or through others below \p projectFolder.
  bool reaches(const clang::tooling::CompileCommand &unit, llvm::StringRef header,
               llvm::StringRef projectFolder);

  struct Include {
    std::string name;
    bool quoted;
  };
  /// The directives of \p file, as they are written. Valid until the next call.
  llvm::ArrayRef<Include> includesOf(llvm::StringRef file);

private:
  bool exists(llvm::StringRef file);
  llvm::StringMap<std::vector<Include>> scanned; ///< By file.
  llvm::StringMap<bool> existing;
};

/// \p candidates, nearest to \p file first: the same stem, then the longest common folder, then by
/// the order given.
std::vector<std::string> nearestFirst(llvm::ArrayRef<std::string> candidates, llvm::StringRef file);

} // namespace gradtidy
