#include "Stack.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <shared_mutex>

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

namespace gradtidy::watch {

namespace {

/// A loaded file's executable memory.
struct Segment {
  uintptr_t begin = 0, end = 0, bias = 0;
  std::string file;
  bool isLibrary = false;
};

bool isLibraryFile(const std::string &file) {
  if (file == ownFile())
    return true;
  const std::string name = file.substr(file.rfind('/') + 1);
  for (const char *prefix :
       {"libtorch", "libc10", "libstdc++", "libc++", "libc.so", "libm.so", "libgcc_s", "libgomp",
        "libiomp", "libpthread", "libshm", "libcu", "libnv", "ld-linux", "linux-vdso"})
    if (name.rfind(prefix, 0) == 0)
      return true;
  return false;
}

class Segments {
public:
  /// Null if \p address lies in no loaded file. The result stays valid.
  const Segment *find(uintptr_t address) {
    {
      const std::shared_lock lock(mutex);
      if (const Segment *found = search(address))
        return found;
    }
    // A file that was loaded since.
    const std::unique_lock lock(mutex);
    dl_iterate_phdr(add, this);
    std::sort(all.begin(), all.end(),
              [](const Segment *one, const Segment *other) { return one->begin < other->begin; });
    return search(address);
  }

private:
  const Segment *search(uintptr_t address) const {
    auto behind = std::upper_bound(
        all.begin(), all.end(), address,
        [](uintptr_t value, const Segment *segment) { return value < segment->begin; });
    return behind != all.begin() && address < (*--behind)->end ? *behind : nullptr;
  }

  static int add(dl_phdr_info *info, size_t, void *self) {
    auto &segments = *static_cast<Segments *>(self);
    std::string file = info->dlpi_name ? info->dlpi_name : "";
    if (file.empty()) {
      std::array<char, 4096> path{};
      const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
      file.assign(path.data(), size > 0 ? static_cast<size_t>(size) : 0);
    }
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) &header = info->dlpi_phdr[i];
      if (header.p_type != PT_LOAD || !(header.p_flags & PF_X))
        continue;
      const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
      if (!segments.search(begin))
        segments.all.push_back(
            new Segment{begin, begin + header.p_memsz, info->dlpi_addr, file, isLibraryFile(file)});
    }
    return 0;
  }

  std::shared_mutex mutex;
  std::vector<Segment *> all; ///< By address. They are as many as files, and stay.
};

Segments &segments() {
  static auto *all = new Segments; // Threads may outlive main().
  return *all;
}

} // namespace

const std::string &ownFile() {
  static const auto *const file = [] {
    Dl_info info;
    return new std::string(
        dladdr(reinterpret_cast<const void *>(&isLibraryCode), &info) ? info.dli_fname : "");
  }();
  return *file;
}

bool isLibraryCode(const void *address) {
  const Segment *segment = segments().find(reinterpret_cast<uintptr_t>(address));
  return !segment || segment->isLibrary;
}

Stack Stack::capture() {
  std::array<void *, 96> all{};
  const int count = backtrace(all.data(), all.size());
  Stack result;
  for (int i = 1; i < count; ++i)
    if (!isLibraryCode(all[i]))
      result.addresses.push_back(all[i]);
  return result;
}

uint64_t Stack::hash() const {
  uint64_t result = 1469598103934665603U;
  for (const void *address : addresses)
    result = (result ^ reinterpret_cast<uintptr_t>(address)) * 1099511628211U;
  return result;
}

std::string Stack::json() const {
  std::string result = "[";
  for (const void *address : addresses) {
    // A return address may belong to the next line already.
    const uintptr_t value = reinterpret_cast<uintptr_t>(address) - 1;
    const Segment *segment = segments().find(value);
    if (!segment)
      continue;
    if (result.size() > 1)
      result += ", ";
    result += "[" + quoted(segment->file) + ", " + std::to_string(value - segment->bias) + "]";
  }
  return result + "]";
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\')
      result += '\\';
    if (static_cast<unsigned char>(letter) >= ' ')
      result += letter;
    else
      result += ' ';
  }
  return result + '"';
}

} // namespace gradtidy::watch
