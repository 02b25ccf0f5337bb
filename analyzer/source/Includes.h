// Which unit includes a header, found without parsing: directives are scanned, not preprocessed.
#pragma once

#include "Database.h"

namespace gradtidy {

/// The include relation of the sources of one database, scanned as far as asked for. Conditions are
/// not evaluated, so a unit may be named that includes the header in another configuration only.
/// Not thread-safe. \p database must outlive this object.
class IncludeScan {
public:
  explicit IncludeScan(const Database &database) : database(database) {}

  /// The source of the database that includes \p header (absolute, normalised), directly or through
  /// other headers of the project; of several, the nearest by name, then by folder. Empty if none.
  std::string findUnitIncluding(llvm::StringRef header);

private:
  struct Include {
    std::string name;
    bool quoted;
  };
  llvm::ArrayRef<Include> includesOf(llvm::StringRef file);
  bool exists(llvm::StringRef file);
  bool reaches(llvm::StringRef unit, llvm::StringRef header, llvm::StringRef projectFolder);

  const Database &database;
  llvm::StringMap<std::vector<Include>> scanned; ///< By file.
  llvm::StringMap<bool> existing;
};

/// \p candidates, nearest to \p file first: the same stem, then the longest common folder, then by
/// the order given.
std::vector<std::string> nearestFirst(llvm::ArrayRef<std::string> candidates, llvm::StringRef file);

} // namespace gradtidy
