#include "CacheFolder.h"
#include "FileIdentity.h"
#include "Ownership.h"
#include "analyzer/source/BoundedFile.h"

#include "clang/Basic/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

#include <fcntl.h>
#include <link.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gradtidy {

using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

int64_t nanoseconds(const fs::file_status &status) {
  return status.getLastModificationTime().time_since_epoch().count();
}

/// The key of an entry's file, a checksum; empty for other files.
StringRef keyOf(StringRef file) {
  constexpr size_t digits = 32;
  const StringRef name = path::filename(file).split('.').first;
  return name.size() == digits && llvm::all_of(name, llvm::isHexDigit) ? name : StringRef();
}

// ---- the identity of the program ---------------------------------------------------------------

/// What the linker wrote into a loaded program or library about its contents.
std::string buildIdOf(const dl_phdr_info &object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object.dlpi_phdr[i];
    if (part.p_type != PT_NOTE)
      continue;
    const auto *begin = reinterpret_cast<const char *>(object.dlpi_addr + part.p_vaddr);
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= part.p_memsz;) {
      const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(begin + at);
      const size_t name = at + sizeof(*note), value = name + llvm::alignTo(note->n_namesz, 4);
      if (note->n_type == NT_GNU_BUILD_ID &&
          StringRef(begin + name, note->n_namesz).starts_with("GNU"))
        return llvm::toHex(StringRef(begin + value, note->n_descsz), /*LowerCase=*/true);
      at = value + llvm::alignTo(note->n_descsz, 4);
    }
  }
  return {};
}

/// Adds what tells \p object from others of its name, if the analysis depends on it.
int addIdentity(dl_phdr_info *object, size_t, void *text) {
  StringRef file = object->dlpi_name;
  const bool isProgram = file.empty();
  if (!isProgram && !file.contains("LLVM") && !file.contains("clang"))
    return 0;
  std::string id = buildIdOf(*object);
  if (id.empty()) {
    static int inThisProgram;
    const std::string name =
        isProgram ? fs::getMainExecutable("gradtidy", &inThisProgram) : file.str();
    if (const auto contents = llvm::MemoryBuffer::getFile(name, false, false))
      id = checksum((*contents)->getBuffer());
  }
  *static_cast<std::string *>(text) += " " + id;
  return 0;
}

// ---- files -------------------------------------------------------------------------------------

constexpr StringRef temporaryPrefix = "new-", temporarySuffix = ".tmp";
constexpr size_t uniqueSize = 8; ///< Of what tells temporary files apart.
constexpr StringRef sealSuffix = ".sum";

std::error_code lastError() { return {errno, std::generic_category()}; }

std::error_code writeAll(int descriptor, StringRef text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return lastError();
    text = text.drop_front(size_t(written));
  }
  return {};
}

/// Locks the new file \p descriptor for as long as this process lives, where the file system has
/// locks. False if another process, which took the file for abandoned, has removed it.
bool lockNew(int descriptor) {
  struct stat status{};
  (void)::flock(descriptor, LOCK_EX);
  return ::fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

/// Makes \p made read-only (isKept), and gives it the name \p file.
std::error_code publishAs(const std::string &file, const std::string &made) {
  fs::file_status status;
  if (const std::error_code error = fs::status(made, status))
    return error;
  const auto writable = fs::owner_write | fs::group_write | fs::others_write;
  if (const std::error_code error =
          fs::setPermissions(made, static_cast<fs::perms>(status.permissions() & ~writable)))
    return error;
  return fs::rename(made, file);
}

/// A lock of \p file that no process holds, or -1.
int lockNow(const std::string &file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return descriptor;
  if (descriptor >= 0)
    ::close(descriptor);
  return -1;
}

/// The temporary file that \p file is, or that a program makes \p file beside, under names that
/// begin with that of the temporary file; empty if it is neither.
std::string temporaryOf(StringRef file) {
  const size_t size = temporaryPrefix.size() + uniqueSize + temporarySuffix.size();
  const StringRef name = path::filename(file).take_front(size);
  const bool isTemporary =
      name.size() == size && name.starts_with(temporaryPrefix) && name.ends_with(temporarySuffix);
  return isTemporary ? (path::parent_path(file) + "/" + name).str() : std::string();
}

/// Removes \p file, which belongs to \p temporary, unless the process of that is still at work.
void removeIfAbandoned(const std::string &file, const std::string &temporary) {
  const int descriptor = lockNow(temporary);
  if (descriptor < 0 && fs::exists(temporary))
    return;
  ::unlink(file.c_str());
  if (descriptor >= 0)
    ::close(descriptor);
}

} // namespace

const std::string &identityOfProgram() {
  static const std::string identity = [] {
    std::string text = clang::getClangFullVersion();
    ::dl_iterate_phdr(addIdentity, &text);
    return text;
  }();
  return identity;
}

// ---- the folder --------------------------------------------------------------------------------

CacheFolder::CacheFolder(std::string path, uint64_t limit)
    : folder(std::move(path)), limit(limit) {}

std::string CacheFolder::file(StringRef key, StringRef extension) const {
  return folder + "/" + key.str() + "." + extension.str();
}

std::string CacheFolder::open() const {
  if (const std::error_code error =
          fs::create_directories(folder, /*IgnoreExisting=*/true, fs::owner_all))
    return error.message();
  llvm::SmallString<256> real;
  if (const std::error_code error = fs::real_path(folder, real))
    return error.message();
  if (!fs::is_directory(real))
    return "'" + std::string(real) + "' is no folder";
  if (std::string why = whyShared(real); !why.empty())
    return why;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (const std::string temporary = temporaryOf(entry->path()); !temporary.empty())
      removeIfAbandoned(entry->path(), temporary);
  }
  return {};
}

llvm::ErrorOr<std::unique_ptr<CacheFolder::Temporary>> CacheFolder::temporary() const {
  llvm::SmallString<256> name;
  int descriptor = -1;
  if (const std::error_code error =
          fs::create_directories(folder, /*IgnoreExisting=*/true, fs::owner_all))
    return error;
  const std::string model =
      folder + "/" + temporaryPrefix.str() + std::string(uniqueSize, '%') + temporarySuffix.str();
  while (true) {
    if (const std::error_code error = fs::createUniqueFile(model, descriptor, name, fs::OF_None,
                                                           fs::owner_read | fs::owner_write))
      return error;
    if (lockNew(descriptor))
      return std::unique_ptr<Temporary>(new Temporary(std::string(name), descriptor));
    ::close(descriptor);
  }
}

CacheFolder::Temporary::~Temporary() {
  if (!name.empty()) {
    ::unlink(beside().c_str());
    ::unlink(name.c_str());
  }
  ::close(descriptor);
}

std::error_code CacheFolder::Temporary::write(StringRef text) { return writeAll(descriptor, text); }

std::error_code CacheFolder::Temporary::publish(const std::string &file) {
  const std::error_code error = publishAs(file, name);
  if (!error)
    name.clear();
  return error;
}

std::error_code CacheFolder::Temporary::publishBeside(const std::string &file) const {
  return publishAs(file, beside());
}

std::error_code CacheFolder::writeRaw(const std::string &file, StringRef text) const {
  const auto made = temporary();
  if (!made)
    return made.getError();
  if (const std::error_code error = (*made)->write(text))
    return error;
  return (*made)->publish(file);
}

std::error_code CacheFolder::write(const std::string &file, StringRef text) const {
  return writeRaw(file, checksum(text) + "\n" + text.str());
}

std::optional<std::string> CacheFolder::read(const std::string &file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0)
    return std::nullopt;
  struct stat status{};
  std::optional<std::string> found;
  if (::fstat(descriptor, &status) == 0 && isKept(status))
    if (const auto buffer = llvm::MemoryBuffer::getOpenFile(fs::convertFDToNativeFile(descriptor),
                                                            file, uint64_t(status.st_size),
                                                            /*RequiresNullTerminator=*/false)) {
      const auto [sum, text] = (*buffer)->getBuffer().split('\n');
      if (checksum(text) == sum)
        found = text.str();
    }
  ::close(descriptor);
  return found;
}

std::error_code CacheFolder::seal(const std::string &file) const {
  const auto text = llvm::MemoryBuffer::getFile(file, false, /*RequiresNullTerminator=*/false);
  return text ? write(file + sealSuffix.str(), checksum((*text)->getBuffer())) : text.getError();
}

bool CacheFolder::isSealed(const std::string &file) {
  if (!isKept(file))
    return false;
  const auto text = llvm::MemoryBuffer::getFile(file, false, /*RequiresNullTerminator=*/false);
  return text && read(file + sealSuffix.str()) == checksum((*text)->getBuffer());
}

void CacheFolder::touch(StringRef file) const {
  (void)::utimensat(AT_FDCWD, file.str().c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
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
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    fs::file_status status;
    // Who names the folder, or puts a link in its place, may have something else there.
    if (keyOf(entry->path()).empty() || fs::status(entry->path(), status, /*Follow=*/false) ||
        !fs::is_regular_file(status))
      continue;
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
  if (fs::create_directories(folder, /*IgnoreExisting=*/true, fs::owner_all) ||
      fs::openFileForWrite(file(key, "lock"), descriptor, fs::CD_OpenAlways, fs::OF_None,
                           fs::owner_read | fs::owner_write))
    return nullptr;
  if (fs::tryLockFile(descriptor, patience)) {
    fs::file_t handle = fs::convertFDToNativeFile(descriptor);
    fs::closeFile(handle);
    return nullptr;
  }
  return std::unique_ptr<Lock>(new Lock(descriptor));
}

// ---- trouble -----------------------------------------------------------------------------------

CacheTrouble::CacheTrouble() {
  void *memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    llvm::report_bad_alloc_error("no memory to share with workers");
  shared = new (memory) Shared;
}

CacheTrouble::~CacheTrouble() { ::munmap(shared, sizeof(Shared)); }

void CacheTrouble::tell(StringRef folder, StringRef why) {
  if (!shared->told.exchange(true))
    llvm::WithColor::warning(llvm::errs(), "gradtidy")
        << "the cache '" << folder << "' cannot be used: " << why
        << "; what this run computes is not kept\n";
}

// ---- folders -----------------------------------------------------------------------------------

ScratchFolder::ScratchFolder() : owner(::getpid()) {
  const std::optional<std::string> chosen = llvm::sys::Process::GetEnv("TMPDIR");
  for (const std::string &place : {chosen.value_or("/tmp"), std::string("/dev/shm")})
    if (make(place))
      return;
}

bool ScratchFolder::make(StringRef place) {
  llvm::SmallString<256> real;
  if (fs::real_path(place, real))
    return false;
  const std::string prefix = "gradtidy-" + std::to_string(::geteuid()) + "-";
  std::error_code error;
  for (fs::directory_iterator entry(real, error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat status{};
    if (!path::filename(entry->path()).starts_with(prefix) ||
        ::lstat(entry->path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
        status.st_uid != ::geteuid())
      continue;
    if (const int abandoned = lockNow(entry->path() + "/lock"); abandoned >= 0) {
      fs::remove_directories(entry->path());
      ::close(abandoned);
    }
  }
  std::string name = std::string(real) + "/" + prefix + "XXXXXX";
  if (!::mkdtemp(name.data()))
    return false;
  lock = ::open((name + "/lock").c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (lock < 0 || !lockNew(lock) || !whyShared(name).empty()) {
    fs::remove_directories(name);
    return false;
  }
  folder = name;
  return true;
}

ScratchFolder::~ScratchFolder() {
  if (!folder.empty() && ::getpid() == owner)
    fs::remove_directories(folder);
  if (lock >= 0)
    ::close(lock);
}

std::string defaultCacheFolder() {
  llvm::SmallString<256> folder;
  if (!path::cache_directory(folder))
    return {};
  path::append(folder, "gradtidy");
  return std::string(folder);
}

} // namespace gradtidy
