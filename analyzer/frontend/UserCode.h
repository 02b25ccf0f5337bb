// Which code is the user's: bodies are kept, findings shown and fixes made there only.
#pragma once

#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace gradtidy {

/// User code is what lies below the project root, minus system include folders, minus the folders
/// in which a framework's header was found (many databases name the framework with -I).
/// The main file of a unit is always user code.
class UserCode {
public:
  /// \p projectRoot is absolute and normalised; see findProjectRoot.
  explicit UserCode(std::string projectRoot);

  /// Everything below \p folder belongs to a framework.
  void addFrameworkFolder(llvm::StringRef folder);

  /// Whether the spelling of \p location (the expansion, for macros) is in user code.
  bool contains(clang::SourceLocation location, const clang::SourceManager &sources) const;

private:
  std::string projectRoot;
  std::vector<std::string> frameworkFolders;
  mutable llvm::DenseMap<clang::FileID, bool> known;
};

/// The nearest parent of \p file that holds a version-control folder (.git, .hg, .svn, .jj), else
/// \p fallback (the common folder of the database's sources).
std::string findProjectRoot(llvm::StringRef file, llvm::StringRef fallback);

} // namespace gradtidy
