#include "BoundedFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gradtidy {

using llvm::StringRef;

namespace {

std::string sizeText(uint64_t bytes) {
  return bytes < uint64_t(1) << 20 ? std::to_string(bytes) + " bytes"
                                   : std::to_string(bytes >> 20) + " MB";
}

/// What speaks against reading a file of this \p status; empty if nothing does.
std::string objectionTo(const struct stat &status, uint64_t limit) {
  if (S_ISDIR(status.st_mode))
    return "a folder, not a file";
  if (!S_ISREG(status.st_mode))
    return "not a regular file";
  if (static_cast<uint64_t>(status.st_size) > limit)
    return "larger than " + sizeText(limit);
  return {};
}

std::string lastError() { return llvm::sys::StrError(errno); }

/// An open file that is closed with this object.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  const int number;
};

/// A file whose contents are in memory.
class FileInMemory : public llvm::vfs::File {
public:
  FileInMemory(llvm::vfs::Status status, std::unique_ptr<llvm::MemoryBuffer> contents)
      : fileStatus(std::move(status)), contents(std::move(contents)) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return fileStatus; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &name, int64_t,
                                                               bool, bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(contents->getBuffer(), name);
  }
  std::error_code close() override { return {}; }

private:
  llvm::vfs::Status fileStatus;
  std::unique_ptr<llvm::MemoryBuffer> contents;
};

class BoundedFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  BoundedFileSystem(uint64_t limit, std::function<void(const std::string &)> fail)
      : ProxyFileSystem(llvm::vfs::getRealFileSystem()), limit(limit), fail(std::move(fail)) {}

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &path) override {
    llvm::ErrorOr<llvm::vfs::Status> found = status(path);
    if (!found)
      return found.getError();
    auto contents = readFile(path.str(), limit);
    if (!contents) {
      fail(path.str() + ": " + llvm::toString(contents.takeError()));
      contents = llvm::MemoryBuffer::getMemBuffer("");
    }
    const llvm::vfs::Status known(
        found->getName(), found->getUniqueID(), found->getLastModificationTime(), found->getUser(),
        found->getGroup(), (*contents)->getBufferSize(), found->getType(), found->getPermissions());
    return std::make_unique<FileInMemory>(known, std::move(*contents));
  }

private:
  const uint64_t limit;
  const std::function<void(const std::string &)> fail;
};

} // namespace

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(StringRef file, uint64_t limit) {
  const auto fail = [](const std::string &why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), llvm::Twine(why));
  };
  const std::string name = file.str();
  struct stat status = {};
  // Opening a device can have effects, so its kind is asked for first; it may change in between,
  // when O_NONBLOCK keeps a FIFO from blocking.
  if (::stat(name.c_str(), &status))
    return fail(lastError());
  if (std::string why = objectionTo(status, limit); !why.empty())
    return fail(why);
  int number = -1;
  do
    number = ::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  while (number < 0 && errno == EINTR);
  const Descriptor opened(number);
  if (number < 0 || ::fstat(number, &status))
    return fail(lastError());
  if (std::string why = objectionTo(status, limit); !why.empty())
    return fail(why);

  auto buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(static_cast<size_t>(status.st_size), file);
  if (!buffer)
    return fail("out of memory");
  size_t size = 0;
  while (size < buffer->getBufferSize()) {
    const ssize_t count =
        ::read(number, buffer->getBufferStart() + size, buffer->getBufferSize() - size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(lastError());
    if (count == 0)
      break;
    size += static_cast<size_t>(count);
  }
  if (size < buffer->getBufferSize()) // It was cut meanwhile.
    return llvm::MemoryBuffer::getMemBufferCopy(StringRef(buffer->getBufferStart(), size), file);
  return buffer;
}

std::unique_ptr<llvm::MemoryBuffer> readFileIfPossible(StringRef file, uint64_t limit) {
  auto contents = readFile(file, limit);
  if (contents)
    return std::move(*contents);
  llvm::consumeError(contents.takeError());
  return nullptr;
}

std::string whyUnreadable(StringRef file, uint64_t limit) {
  struct stat status = {};
  if (::stat(file.str().c_str(), &status))
    return lastError();
  if (std::string why = objectionTo(status, limit); !why.empty())
    return why;
  return ::access(file.str().c_str(), R_OK) ? lastError() : std::string();
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
boundedFileSystem(uint64_t limit, std::function<void(const std::string &)> fail) {
  return llvm::makeIntrusiveRefCnt<BoundedFileSystem>(limit, std::move(fail));
}

} // namespace gradtidy
