#include "RewriteFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace gradtidy {
namespace {

using llvm::StringRef;

std::string lastError() { return llvm::sys::StrError(errno); }

/// An open file that is closed with this object, and removed if it has a name to be removed by.
class OpenFile {
public:
  explicit OpenFile(int number, std::string temporary = {})
      : number(number), temporary(std::move(temporary)) {}
  ~OpenFile() {
    if (number >= 0)
      ::close(number);
    if (!temporary.empty())
      ::unlink(temporary.c_str());
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;

  /// Makes it another file's successor.
  bool renameTo(const std::string &file) {
    if (::rename(temporary.c_str(), file.c_str()))
      return false;
    temporary.clear();
    return true;
  }

  const int number;

private:
  std::string temporary;
};

/// Writes \p text from the beginning of a file on, up to the disk.
bool writeAll(int file, StringRef text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count =
        ::pwrite(file, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += static_cast<size_t>(count);
  }
  return !::ftruncate(file, static_cast<off_t>(text.size())) && !::fsync(file);
}

/// Whether the contents of a file are \p text.
bool holds(int file, StringRef text) {
  std::array<char, 1 << 16> bytes;
  size_t done = 0;
  while (true) {
    const ssize_t count = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    if (count == 0)
      return done == text.size();
    if (text.substr(done, static_cast<size_t>(count)) !=
        StringRef(bytes.data(), static_cast<size_t>(count)))
      return false;
    done += static_cast<size_t>(count);
  }
}

bool copyAttributes(int from, int to) {
  const ssize_t size = ::flistxattr(from, nullptr, 0);
  if (size < 0)
    return errno == ENOTSUP;
  std::vector<char> names(static_cast<size_t>(size));
  if (size && ::flistxattr(from, names.data(), names.size()) != size)
    return false;
  for (size_t at = 0; at < names.size(); at += StringRef(&names[at]).size() + 1) {
    const ssize_t length = ::fgetxattr(from, &names[at], nullptr, 0);
    std::vector<char> value(static_cast<size_t>(std::max<ssize_t>(length, 0)));
    if (length < 0 || ::fgetxattr(from, &names[at], value.data(), value.size()) != length ||
        ::fsetxattr(to, &names[at], value.data(), value.size(), 0))
      return false;
  }
  return true;
}

/// Makes \p to look like \p from, whose status is \p status, in all but its contents.
bool copyLooks(int from, const struct stat &status, int to) {
  struct stat made = {};
  if (::fstat(to, &made))
    return false;
  const bool sameOwner = made.st_uid == status.st_uid && made.st_gid == status.st_gid;
  const std::array<timespec, 2> times = {status.st_atim, timespec{0, UTIME_NOW}};
  return (sameOwner || !::fchown(to, status.st_uid, status.st_gid)) && copyAttributes(from, to) &&
         !::fchmod(to, status.st_mode & 07777) && !::futimens(to, times.data());
}

/// Whether \p file is still the one of \p status, unchanged.
bool isStill(const std::string &file, const struct stat &status) {
  struct stat now = {};
  return !::stat(file.c_str(), &now) && now.st_ino == status.st_ino &&
         now.st_dev == status.st_dev && now.st_size == status.st_size &&
         now.st_mtim.tv_sec == status.st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == status.st_mtim.tv_nsec;
}

/// Writes over the old text, which is put back if that fails.
std::string overwrite(int file, const struct stat &status, StringRef before, StringRef after) {
  std::string why;
  // Whatever runs out does so before a byte of the old text is lost.
  if (after.size() > before.size())
    if (const int code = ::posix_fallocate(file, 0, static_cast<off_t>(after.size())))
      why = llvm::sys::StrError(code);
  if (why.empty() && !writeAll(file, after))
    why = lastError();
  if (!why.empty()) {
    writeAll(file, before);
    return why;
  }
  const std::array<timespec, 2> times = {status.st_atim, timespec{0, UTIME_NOW}};
  ::futimens(file, times.data());
  return {};
}

} // namespace

std::string rewriteFile(const std::string &file, StringRef before, StringRef after) {
  llvm::SmallString<256> real;
  if (const std::error_code error = llvm::sys::fs::real_path(file, real))
    return error.message();
  const std::string path(real);
  const OpenFile old(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (old.number < 0 || ::fstat(old.number, &status))
    return lastError();
  if (!S_ISREG(status.st_mode))
    return "not a regular file";
  if (!holds(old.number, before))
    return "it has changed since it was analyzed";

  std::string name = llvm::sys::path::parent_path(path).str() + "/.gradtidy-XXXXXX";
  const int number = ::mkostemp(name.data(), O_CLOEXEC);
  {
    OpenFile made(number, number < 0 ? std::string() : name);
    // A disk that is full shows here.
    if (number >= 0 && !writeAll(number, after))
      return lastError();
    if (number >= 0 && status.st_nlink == 1 && copyLooks(old.number, status, number)) {
      if (!isStill(path, status))
        return "it has changed since it was analyzed";
      return made.renameTo(path) ? std::string() : lastError();
    }
  }
  // Other names of the file, or what nobody but its owner may set, would be lost by a new file.
  return overwrite(old.number, status, before, after);
}

} // namespace gradtidy
