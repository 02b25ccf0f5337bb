#include "OutputFile.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gradtidy {
namespace {

/// -1 with errno if \p file cannot be opened.
int openPlain(const char *file) {
  struct stat found{};
  bool replaced = false;
  if (!::lstat(file, &found) &&
      (S_ISLNK(found.st_mode) || (S_ISREG(found.st_mode) && found.st_nlink > 1))) {
    if (::unlink(file))
      return -1;
    replaced = true;
  }
  // Without O_NONBLOCK, a FIFO would be waited for.
  const int descriptor = ::open(file,
                                O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
                                    (replaced ? O_EXCL : O_TRUNC),
                                0666);
  if (descriptor >= 0)
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

} // namespace

std::unique_ptr<llvm::raw_fd_ostream> openOutput(llvm::StringRef file, std::error_code &error) {
  error = {};
  const bool isOutput = file == "-" || file == "/dev/stdout";
  if (!isOutput && (file.starts_with("/dev/") || file.starts_with("/proc/")))
    return std::make_unique<llvm::raw_fd_ostream>(file, error, llvm::sys::fs::OF_None);
  // Opened by name, a file behind standard output would be written over from its start.
  const int descriptor =
      isOutput ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : openPlain(file.str().c_str());
  if (descriptor < 0)
    error = std::error_code(errno, std::generic_category());
  return std::make_unique<llvm::raw_fd_ostream>(descriptor, /*shouldClose=*/descriptor >= 0);
}

} // namespace gradtidy
