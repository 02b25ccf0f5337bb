// Paths of sources and headers. Each has one form, whatever links it was reached by, so that paths
// are compared as text: absolute, the folder without symbolic links. A link to a file stays one:
// what it includes is looked for beside it. What the user typed is for messages only (ShownPaths).
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace gradtidy {

/// The one form of \p path, against \p folder (the working directory if empty). Where a parent does
/// not exist, ".." is taken away as text. Folders are resolved once in a process.
std::string absolutePath(llvm::StringRef path, llvm::StringRef folder = {});

/// The same for a folder, which may be a link itself.
std::string folderPath(llvm::StringRef path, llvm::StringRef folder = {});

/// \p path without any symbolic link, or as it is if there is no such file. Asks the file system
/// each time.
std::string realPath(llvm::StringRef path);

/// How the user reaches files: a finding in a header beside a source is shown as the source was
/// named.
class ShownPaths {
public:
  /// \p given is what the user typed for the file or folder \p path.
  void add(llvm::StringRef given, llvm::StringRef path);
  std::string of(llvm::StringRef path) const;

private:
  std::vector<std::pair<std::string, std::string>> folders; ///< The one form, and as typed.
};

/// Whether absolute \p file lies in \p folder or below it.
bool liesIn(llvm::StringRef file, llvm::StringRef folder);

/// The deepest folder that holds the absolute paths \p one and \p other, or is one of them.
llvm::StringRef commonFolder(llvm::StringRef one, llvm::StringRef other);

/// Whether the name of \p file says that it is made to be included.
bool isHeader(llvm::StringRef file);

} // namespace gradtidy
