// Which lines of a program have changed: what --diff shows findings of.
#pragma once

#include "analyzer/report/Formats.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <climits>
#include <string>
#include <vector>

namespace gradtidy {

/// The changed lines of files, as they are behind the change. Where lines were only taken away, the
/// lines before and behind the gap count as changed.
class Changes {
public:
  /// Of a unified diff whose paths are relative to \p root, with or without "a/" and "b/". Other
  /// text between the files is skipped. Of symbolic links, and of files in which clang counts other
  /// lines than the patch does, every line counts as changed.
  static llvm::Expected<Changes> ofPatch(llvm::StringRef patch, const std::string &root);

  /// Of the working tree of git at \p root since \p revision, with files that git does not track. A
  /// file that git converts by its attributes (filter, working-tree-encoding) counts as a whole.
  static llvm::Expected<Changes> since(const std::string &revision, const std::string &root);

  /// Whether \p finding, a step that leads to it, or its fix lies in a changed line.
  bool concern(const ReportedFinding &finding) const;

private:
  struct Lines {
    unsigned first = 0, last = 0;
  };
  static constexpr Lines everyLine{0, UINT_MAX};
  bool contain(llvm::StringRef file, unsigned first, unsigned last) const;

  llvm::StringMap<std::vector<Lines>> files; ///< By absolute path.
};

} // namespace gradtidy
