#include "FileIdentity.h"
#include "analyzer/source/BoundedFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <optional>

#include <sys/stat.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

namespace gradtidy {

using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// Clocks of file systems, and of other machines that serve them, are this much behind or ahead.
constexpr std::chrono::seconds clockTolerance(2);

int64_t nanoseconds(const timespec &time) {
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Whether the file system of \p file gives every change of a file a new time of change. Images
/// (squashfs, ISO) are replaced as a whole, with the times that their maker chose.
bool keepsChangeTimes([[maybe_unused]] const std::string &file) {
#ifdef __linux__
  constexpr uint32_t known[] = {
      0xEF53,     // ext2, ext3, ext4
      0x58465342, // XFS
      0x9123683E, // Btrfs
      0xCA451A4E, // bcachefs
      0xF2F52010, // F2FS
      0x2FC12FC1, // ZFS
      0x01021994, // tmpfs
      0x794C7630, // overlayfs
      0x6969,     // NFS
      0x0BD00BD0, // Lustre
  };
  struct statfs status{};
  return ::statfs(file.c_str(), &status) == 0 &&
         std::ranges::find(known, uint32_t(status.f_type)) != std::ranges::end(known);
#else
  return false;
#endif
}

/// Of the file itself, behind all links.
std::optional<struct stat> statusOf(const std::string &file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  return status;
}

/// Whether the file was last changed before \p time, by a clock that runs.
bool isOlder(const struct stat &status, std::chrono::system_clock::time_point time) {
  const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch());
  return status.st_ctim.tv_sec > 0 && nanoseconds(status.st_ctim) < limit.count();
}

} // namespace

std::string checksum(StringRef text) {
  constexpr size_t bytes = 16;
  return llvm::toHex(llvm::BLAKE3::hash<bytes>(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

std::string RealPaths::of(StringRef file) {
  const StringRef folder = path::parent_path(file), name = path::filename(file);
  const auto resolved = [](const llvm::Twine &any) {
    llvm::SmallString<256> real;
    return fs::real_path(any, real) ? std::string() : std::string(real);
  };
  if (folder.empty() || name == "." || name == "..")
    return resolved(file);
  const auto [known, added] = folders.try_emplace(folder);
  if (added)
    known->second = resolved(folder);
  if (known->second.empty())
    return {};
  llvm::SmallString<256> real(known->second);
  path::append(real, name);
  struct stat status{};
  if (::lstat(real.c_str(), &status) != 0)
    return {};
  return S_ISLNK(status.st_mode) ? resolved(real) : std::string(real);
}

std::string stampOf(const std::string &file) {
  const auto status = statusOf(file);
  if (!status)
    return {};
  const auto safe = std::chrono::system_clock::now() - clockTolerance;
  if (isOlder(*status, safe) && keepsChangeTimes(file))
    return std::to_string(status->st_size) + " " + std::to_string(status->st_ino) + " " +
           std::to_string(nanoseconds(status->st_mtim)) + " " +
           std::to_string(nanoseconds(status->st_ctim));
  const auto text = readFileIfPossible(file, limits::results);
  return text ? checksum(text->getBuffer()) : std::string();
}

FileIdentity FileIdentity::of(StringRef text, const std::string &file,
                              std::chrono::system_clock::time_point begin) {
  FileIdentity identity;
  identity.size = text.size();
  identity.content = checksum(text);
  if (std::string real = RealPaths().of(file); real != file)
    identity.target = std::move(real);
  const auto status = statusOf(file);
  if (status && uint64_t(status->st_size) == text.size() &&
      isOlder(*status, begin - clockTolerance) && keepsChangeTimes(file)) {
    identity.inode = status->st_ino;
    identity.modified = nanoseconds(status->st_mtim);
    identity.changed = nanoseconds(status->st_ctim);
  }
  return identity;
}

bool FileIdentity::holdsFor(const std::string &file, RealPaths &paths) const {
  if (paths.of(file) != (target.empty() ? file : target))
    return false;
  const auto status = statusOf(file);
  if (!status || uint64_t(status->st_size) != size)
    return false;
  if (inode && status->st_ino == inode && nanoseconds(status->st_mtim) == modified &&
      nanoseconds(status->st_ctim) == changed)
    return true;
  const auto text = readFileIfPossible(file, limits::results);
  return text && checksum(text->getBuffer()) == content;
}

} // namespace gradtidy
