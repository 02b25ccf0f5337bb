// A folder of cached files that many processes read and write at once, bounded in size.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace gradtidy {

/// This program and the LLVM that it runs with, by their contents: what one build makes of a source
/// another one may not.
const std::string &identityOfProgram();

/// An entry is all files KEY.* of the folder. Files appear whole or not at all; who reads one while
/// another process replaces or removes it goes on reading the old one. Only gradtidy, as the
/// user or as root, can have written what is read: the folder, its parents and the file are looked
/// at, and files are read-only, which those that git checks out are not.
class CacheFolder {
public:
  /// \p path is made when something is first written; \p limit in bytes.
  CacheFolder(std::string path, uint64_t limit);

  const std::string &path() const { return folder; }
  std::string file(llvm::StringRef key, llvm::StringRef extension) const;

  /// Makes the folder, for the user alone, and removes what processes left in it that did not get
  /// to their end. Why it cannot be used, or empty.
  std::string open() const;

  /// A new file that is removed at its end, and by open() if this process does not get there.
  class Temporary {
  public:
    Temporary(const Temporary &) = delete;
    Temporary &operator=(const Temporary &) = delete;
    ~Temporary();

    std::error_code write(llvm::StringRef text);
    /// Where another program may make a file: goes with this one.
    std::string beside() const { return name + ".out"; }
    /// Gives the file, or that beside it, the name \p file.
    std::error_code publish(const std::string &file);
    std::error_code publishBeside(const std::string &file) const;
    const std::string &path() const { return name; }

  private:
    friend class CacheFolder;
    Temporary(std::string name, int descriptor) : name(std::move(name)), descriptor(descriptor) {}
    std::string name;
    int descriptor; ///< Locked for as long as this process lives.
  };
  llvm::ErrorOr<std::unique_ptr<Temporary>> temporary() const;

  /// Writes \p text into \p file at once, or leaves the file as it was.
  std::error_code writeRaw(const std::string &file, llvm::StringRef text) const;

  /// The same, with a checksum before the text.
  std::error_code write(const std::string &file, llvm::StringRef text) const;
  /// What write() wrote into \p file; nothing if it is damaged or may be of somebody else.
  static std::optional<std::string> read(const std::string &file);

  /// Writes down the checksum of \p file, which another program made in the folder.
  std::error_code seal(const std::string &file) const;
  /// Whether \p file is as it was then, and only the user can have written it.
  static bool isSealed(const std::string &file);

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

/// What is wrong with the cache of a run, among all processes of it.
class CacheTrouble {
public:
  CacheTrouble();
  ~CacheTrouble();
  CacheTrouble(const CacheTrouble &) = delete;
  CacheTrouble &operator=(const CacheTrouble &) = delete;

  /// Says on standard error why the cache \p folder cannot be used or written, the first time.
  void tell(llvm::StringRef folder, llvm::StringRef why);

  /// That precompiled headers can be kept nowhere, so that none is worth making.
  void setHopeless() { shared->hopeless = true; }
  bool isHopeless() const { return shared->hopeless; }

private:
  struct Shared {
    std::atomic<bool> told = false, hopeless = false;
  };
  Shared *shared; ///< In memory that copies of this process share.
};

/// A folder for the user alone that goes with this object, in the process that made it. Those of
/// processes that did not get to their end go when the next one is made.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  /// Empty if there is no place for one.
  const std::string &path() const { return folder; }

private:
  bool make(llvm::StringRef place);

  std::string folder;
  int owner;     ///< The process.
  int lock = -1; ///< Held by it and its copies.
};

/// $XDG_CACHE_HOME/gradtidy, or the like; empty where there is none.
std::string defaultCacheFolder();

} // namespace gradtidy
