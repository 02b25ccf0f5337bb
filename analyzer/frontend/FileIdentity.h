// What tells whether a file is still the one that was read: by its contents, and cheaper where the
// file system allows it.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace gradtidy {

/// A hash of \p text that nobody can find another text for, as 32 hexadecimal digits.
std::string checksum(llvm::StringRef text);

/// Resolves symbolic links; remembers those of folders for as long as it lives.
class RealPaths {
public:
  /// \p file, absolute, without symbolic links; empty if there is no such file.
  std::string of(llvm::StringRef file);

private:
  llvm::StringMap<std::string> folders;
};

/// The contents of a file, and where the links lead by which it is reached. Size and times that can
/// be set at will (tar, SOURCE_DATE_EPOCH, git-restore-mtime) prove nothing. The number of the
/// inode and the time of its last change, which no program can set, do on file systems that are
/// known to keep them, if that time is well before the file was read.
struct FileIdentity {
  uint64_t size = 0;
  uint64_t inode = 0;                ///< 0 if it and the times prove nothing.
  int64_t modified = 0, changed = 0; ///< In nanoseconds.
  std::string content;               ///< See checksum.
  std::string target;                ///< The file without links; empty if that is its path.

  /// Of \p file, an absolute path whose text was read as \p text after \p begin.
  static FileIdentity of(llvm::StringRef text, const std::string &file,
                         std::chrono::system_clock::time_point begin);

  /// Whether \p file is still the same.
  bool holdsFor(const std::string &file, RealPaths &paths) const;

  bool operator==(const FileIdentity &) const = default;
};

/// What tells \p file from another of its name, without reading it where that is safe; empty if
/// there is none.
std::string stampOf(const std::string &file);

} // namespace gradtidy
