// Which code is the user's: bodies are kept, findings shown and fixes made there only.
#pragma once

#include "clang/Basic/FileEntry.h"
#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace clang {
class Preprocessor;
} // namespace clang

namespace gradtidy {

/// User code is what lies below the project root, minus system include folders, minus the folders
/// in which a framework's header was found (many databases name the framework with -I).
/// The main file of a unit is always user code.
class UserCode {
public:
  /// See findProjectRoot.
  explicit UserCode(llvm::StringRef projectRoot);

  /// Everything below \p folder (absolute) belongs to a framework: see folders().
  void addFrameworkFolder(llvm::StringRef folder);

  /// The same, and the include path leads to \p header there.
  void addFrameworkFolder(llvm::StringRef folder, llvm::StringRef header);

  const std::vector<std::string> &folders() const { return frameworkFolders; }

  /// The paths of such headers that lie in the project, which may be of the framework, or not.
  std::vector<std::string> frameworkHeadersWithin() const;

  /// From now on every file counts as user code (--system-headers).
  void includeEverything();

  /// Files are asked for by another source manager from now on.
  void changeSources() { known.clear(); }

  /// Whether the spelling of \p location (the expansion, for macros) is in user code.
  bool contains(clang::SourceLocation location, const clang::SourceManager &sources) const;

  /// The same for all of a file that was included as one of \p kind.
  bool containsFile(const clang::FileEntryRef &file, clang::SrcMgr::CharacteristicKind kind,
                    const clang::FileManager &files) const;

  /// Whether \p file lies in a framework's folder.
  bool isFrameworkFile(const clang::FileEntryRef &file, const clang::FileManager &files) const;

  /// Whether headers of the user may lie in \p folder (absolute).
  bool mayHold(llvm::StringRef folder) const;

private:
  bool isFramework(llvm::StringRef path) const;

  std::string projectRoot;
  std::vector<std::string> frameworkFolders;
  std::vector<std::string> frameworkHeaders; ///< To which the include path leads.
  bool everything = false;
  mutable llvm::DenseMap<clang::FileID, bool> known;
};

using FileSet = llvm::DenseSet<const clang::FileEntry *>;

/// Finds the folders of the model's framework while a unit is preprocessed: every folder of the
/// include path that has one of \p headers ("torch/torch.h"), at once, and the folder of every
/// include that ends in one of them. \p userCode and \p headers must outlive \p preprocessor.
void findFrameworkFolders(clang::Preprocessor &preprocessor,
                          const std::vector<std::string> &headers, UserCode &userCode);

/// The nearest parent of \p file with .git, which no commit of a stranger holds, else with another
/// version-control folder (.hg, .svn, .jj), else \p fallback (see Database::commonFolder).
std::string findProjectRoot(llvm::StringRef file, llvm::StringRef fallback);

} // namespace gradtidy
