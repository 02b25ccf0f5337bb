// A folder of cached files that many processes read and write at once, bounded in size.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gradtidy {

/// This program: what a build of it makes of a source another one may not.
const std::string &identityOfProgram();

/// An entry is all files KEY.* of the folder. Files appear whole or not at all; who reads one while
/// another process replaces or removes it goes on reading the old one.
class CacheFolder {
public:
  /// \p path is made when something is first written; \p limit in bytes.
  CacheFolder(std::string path, uint64_t limit) : folder(std::move(path)), limit(limit) {}

  const std::string &path() const { return folder; }
  std::string file(llvm::StringRef key, llvm::StringRef extension) const;

  /// The name of a new file that publish() will give its own; empty if the folder cannot be
  /// written.
  std::string temporaryFile() const;
  bool publish(llvm::StringRef temporary, llvm::StringRef file) const;

  /// Writes \p text into \p file at once; false if that cannot be done.
  bool write(llvm::StringRef file, llvm::StringRef text) const;

  /// Marks an entry as used just now, by its file \p file.
  void touch(llvm::StringRef file) const;
  void remove(llvm::StringRef key) const;

  /// Removes what was not used for the longest time until the folder is within its limit; \p keep
  /// stays.
  void evict(llvm::StringRef keep) const;

  /// Keeps other processes from making the same entry; ends with this object or process.
  class Lock {
  public:
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
    ~Lock();

  private:
    friend class CacheFolder;
    explicit Lock(int descriptor) : descriptor(descriptor) {}
    int descriptor;
  };
  /// Null if another process holds the lock for longer than \p patience, or without a folder.
  std::unique_ptr<Lock> lock(llvm::StringRef key, std::chrono::milliseconds patience) const;

private:
  std::string folder;
  uint64_t limit;
};

/// What tells a file from other files of its name: size and time, or else its content.
struct FileIdentity {
  uint64_t size = 0;
  int64_t time = 0; ///< Of the last change, in nanoseconds; 0 if it says nothing.
  uint64_t content = 0;

  /// Of \p file, whose text was read as \p text after \p begin. The time of a file that was changed
  /// about then, or later, says nothing.
  static FileIdentity of(llvm::StringRef text, const std::string &file,
                         std::chrono::system_clock::time_point begin);

  /// Whether \p file is still the same. One that has another time and the same content is.
  bool holdsFor(const std::string &file) const;

  bool operator==(const FileIdentity &) const = default;
};

/// $XDG_CACHE_HOME/gradtidy, or the like; empty where there is none.
std::string defaultCacheFolder();

} // namespace gradtidy
