#include "CacheFolder.h"
#include "analyzer/source/BoundedFile.h"

#include "clang/Basic/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <vector>

namespace gradtidy {

using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

int64_t nanoseconds(const fs::file_status &status) {
  return status.getLastModificationTime().time_since_epoch().count();
}

/// The key of an entry's file; empty for other files.
StringRef keyOf(StringRef file) { return path::filename(file).split('.').first; }

} // namespace

const std::string &identityOfProgram() {
  static int inThisProgram;
  static const std::string identity = [] {
    fs::file_status status;
    fs::status(fs::getMainExecutable("gradtidy", &inThisProgram), status);
    return clang::getClangFullVersion() + " " + std::to_string(status.getSize()) + " " +
           std::to_string(nanoseconds(status));
  }();
  return identity;
}

std::string CacheFolder::file(StringRef key, StringRef extension) const {
  return folder + "/" + key.str() + "." + extension.str();
}

std::string CacheFolder::temporaryFile() const {
  if (fs::create_directories(folder))
    return {};
  llvm::SmallString<256> name;
  return fs::createUniqueFile(folder + "/new-%%%%%%%%.tmp", name) ? "" : std::string(name);
}

bool CacheFolder::publish(StringRef temporary, StringRef file) const {
  if (!fs::rename(temporary, file))
    return true;
  fs::remove(temporary);
  return false;
}

bool CacheFolder::write(StringRef file, StringRef text) const {
  const std::string temporary = temporaryFile();
  if (temporary.empty())
    return false;
  std::error_code error;
  llvm::raw_fd_ostream out(temporary, error);
  if (!error) {
    out << text;
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (!error)
    return publish(temporary, file);
  fs::remove(temporary);
  return false;
}

void CacheFolder::touch(StringRef file) const {
  int descriptor = -1;
  if (fs::openFileForReadWrite(file, descriptor, fs::CD_OpenExisting, fs::OF_None))
    return;
  (void)fs::setLastAccessAndModificationTime(descriptor, std::chrono::system_clock::now());
  fs::file_t handle = fs::convertFDToNativeFile(descriptor);
  fs::closeFile(handle);
}

void CacheFolder::remove(StringRef key) const {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (keyOf(entry->path()) == key)
      fs::remove(entry->path());
}

void CacheFolder::evict(StringRef keep) const {
  struct Entry {
    uint64_t size = 0;
    int64_t used = 0;
    std::vector<std::string> files;
  };
  llvm::StringMap<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  const auto now = std::chrono::system_clock::now();
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    fs::file_status status;
    if (fs::status(entry->path(), status) || !fs::is_regular_file(status))
      continue;
    if (path::extension(entry->path()) == ".tmp") {
      // What a process left that did not get to its end.
      if (now - status.getLastModificationTime() > std::chrono::hours(1))
        fs::remove(entry->path());
      continue;
    }
    Entry &found = entries[keyOf(entry->path())];
    found.files.push_back(entry->path());
    found.size += status.getSize();
    found.used = std::max(found.used, nanoseconds(status));
    total += status.getSize();
  }
  std::vector<std::pair<int64_t, StringRef>> oldestFirst;
  for (const auto &entry : entries)
    oldestFirst.emplace_back(entry.second.used, entry.first());
  llvm::sort(oldestFirst);
  for (const auto &[used, key] : oldestFirst) {
    if (total <= limit)
      return;
    if (key == keep)
      continue;
    for (const std::string &file : entries[key].files)
      fs::remove(file);
    total -= entries[key].size;
  }
}

CacheFolder::Lock::~Lock() {
  (void)fs::unlockFile(descriptor);
  fs::file_t handle = fs::convertFDToNativeFile(descriptor);
  fs::closeFile(handle);
}

std::unique_ptr<CacheFolder::Lock> CacheFolder::lock(StringRef key,
                                                     std::chrono::milliseconds patience) const {
  int descriptor = -1;
  if (fs::create_directories(folder) ||
      fs::openFileForWrite(file(key, "lock"), descriptor, fs::CD_OpenAlways))
    return nullptr;
  if (fs::tryLockFile(descriptor, patience)) {
    fs::file_t handle = fs::convertFDToNativeFile(descriptor);
    fs::closeFile(handle);
    return nullptr;
  }
  return std::unique_ptr<Lock>(new Lock(descriptor));
}

FileIdentity FileIdentity::of(StringRef text, const std::string &file,
                              std::chrono::system_clock::time_point begin) {
  fs::file_status status;
  const bool known = !fs::status(file, status);
  // Some file systems know full seconds only.
  const bool old = status.getLastModificationTime() < begin - std::chrono::seconds(2);
  return {text.size(), known && old ? nanoseconds(status) : 0, llvm::xxh3_64bits(text)};
}

bool FileIdentity::holdsFor(const std::string &file) const {
  fs::file_status status;
  if (fs::status(file, status) || status.getSize() != size)
    return false;
  if (nanoseconds(status) == time)
    return true;
  const auto text = readFileIfPossible(file, limits::results);
  return text && llvm::xxh3_64bits(text->getBuffer()) == content;
}

std::string defaultCacheFolder() {
  llvm::SmallString<256> folder;
  if (!path::cache_directory(folder))
    return {};
  path::append(folder, "gradtidy");
  return std::string(folder);
}

} // namespace gradtidy
