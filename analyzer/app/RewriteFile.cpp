#include "RewriteFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <array>
#include <cerrno>
#include <csignal>
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

constexpr const char *changed = "it has changed since it was analyzed";

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
  /// Gives each the name of the other, at once.
  bool exchangeWith(const std::string &file) const {
    return !::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, file.c_str(), RENAME_EXCHANGE);
  }

  const std::string &name() const { return temporary; }

  const int number;

private:
  std::string temporary;
};

/// Has whoever opens a file to write it wait, until this object ends. Where the file system or
/// another owner does not allow that, nobody waits.
class Lease {
public:
  /// \param kind F_RDLCK of a file that is open for reading, F_WRLCK of another one.
  Lease(int file, int kind) : file(file), kind(kind) {
    ::fcntl(file, F_SETSIG, SIGURG); // Which nobody handles; SIGIO would end the process.
    isHeld = !::fcntl(file, F_SETLEASE, kind);
    isInUse = !isHeld && errno == EAGAIN;
  }
  ~Lease() {
    if (isHeld)
      ::fcntl(file, F_SETLEASE, F_UNLCK);
  }
  Lease(const Lease &) = delete;
  Lease &operator=(const Lease &) = delete;

  /// Whether somebody had the file open already: to write it, or for F_WRLCK to read it.
  bool isUsedByOthers() const { return isInUse; }

  /// Whether somebody waits.
  bool isWantedByOthers() const { return isHeld && ::fcntl(file, F_GETLEASE) != kind; }

private:
  const int file, kind;
  bool isHeld = false, isInUse = false;
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

/// Whether \p name is that of the file of \p status.
bool isNameOf(const struct stat &status, const std::string &name) {
  struct stat now = {};
  return !::stat(name.c_str(), &now) && now.st_ino == status.st_ino && now.st_dev == status.st_dev;
}

/// Puts \p made in the place of the file \p path, which is open as \p old, if it still is the one
/// of \p status and holds \p before.
std::string replace(OpenFile &made, const std::string &path, int old, const struct stat &status,
                    StringRef before) {
  // Another program may save the file at any time. One that renames its text over it is seen in
  // what has been exchanged for the new text; one that opens the file, in the lease.
  const Lease lease(old, F_RDLCK);
  if (lease.isUsedByOthers())
    return "another program is writing it";
  if (!isNameOf(status, path) || !holds(old, before))
    return changed;
  if (!made.exchangeWith(path)) {
    const bool isUnsupported = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
    return isUnsupported && made.renameTo(path) ? std::string() : lastError();
  }
  if (isNameOf(status, made.name()) && holds(old, before) && !lease.isWantedByOthers())
    return {};
  return made.exchangeWith(path) ? changed : lastError();
}

/// Writes over the old text, which is put back if that fails.
std::string overwrite(const std::string &path, const struct stat &status, StringRef before,
                      StringRef after) {
  const OpenFile file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.number < 0)
    return lastError();
  const Lease lease(file.number, F_WRLCK);
  struct stat now = {};
  if (::fstat(file.number, &now) || now.st_ino != status.st_ino || now.st_dev != status.st_dev ||
      !holds(file.number, before))
    return changed;
  std::string why;
  // Whatever runs out does so before a byte of the old text is lost.
  if (after.size() > before.size())
    if (const int code = ::posix_fallocate(file.number, 0, static_cast<off_t>(after.size())))
      why = llvm::sys::StrError(code);
  if (why.empty() && !writeAll(file.number, after))
    why = lastError();
  if (!why.empty()) {
    writeAll(file.number, before);
    return why;
  }
  const std::array<timespec, 2> times = {status.st_atim, timespec{0, UTIME_NOW}};
  ::futimens(file.number, times.data());
  return {};
}

} // namespace

std::string rewriteFile(const std::string &file, StringRef before, StringRef after) {
  llvm::SmallString<256> real;
  if (const std::error_code error = llvm::sys::fs::real_path(file, real))
    return error.message();
  const std::string path(real);
  // Open for reading alone, as a lease on others who write needs it.
  const OpenFile old(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (old.number < 0 || ::fstat(old.number, &status) ||
      ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS))
    return lastError();
  if (!S_ISREG(status.st_mode))
    return "not a regular file";
  if (!holds(old.number, before))
    return changed;

  std::string name = llvm::sys::path::parent_path(path).str() + "/.gradtidy-XXXXXX";
  const int number = ::mkostemp(name.data(), O_CLOEXEC);
  {
    OpenFile made(number, number < 0 ? std::string() : name);
    // A disk that is full shows here.
    if (number >= 0 && !writeAll(number, after))
      return lastError();
    if (number >= 0 && status.st_nlink == 1 && copyLooks(old.number, status, number))
      return replace(made, path, old.number, status, before);
  }
  // Other names of the file, or what nobody but its owner may set, would be lost by a new file.
  return overwrite(path, status, before, after);
}

} // namespace gradtidy
