#include "LibTorch.h"
#include "BoundedFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace gradtidy {
namespace {

namespace fs = llvm::sys::fs;

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Folders of Python's packages below \p prefix, the newest Python first.
std::vector<std::string> packagesBelow(const std::string &prefix) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(prefix + "/lib", error), end; !error && entry != end;
       entry.increment(error))
    if (llvm::sys::path::filename(entry->path()).starts_with("python3"))
      for (const char *kind : {"/site-packages", "/dist-packages"})
        found.push_back(entry->path() + kind);
  std::sort(found.rbegin(), found.rend());
  return found;
}

/// Where LibTorch may be, the likeliest first.
std::vector<std::string> candidates() {
  std::vector<std::string> folders;
  // .../share/cmake/Torch, or the folder itself.
  if (const std::string folder = variable("Torch_DIR"); !folder.empty()) {
    folders.push_back(folder + "/../../..");
    folders.push_back(folder);
  }
  if (const std::string folder = variable("LIBTORCH"); !folder.empty())
    folders.push_back(folder);
  std::vector<std::string> prefixes;
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string prefix = variable(name); !prefix.empty())
      prefixes.push_back(prefix);
  if (const std::string home = variable("HOME"); !home.empty())
    prefixes.push_back(home + "/.local");
  prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});
  for (const std::string &prefix : prefixes)
    for (const std::string &packages : packagesBelow(prefix))
      folders.push_back(packages + "/torch");
  folders.insert(folders.end(), {"/usr/local", "/usr", "/opt/libtorch"});
  return folders;
}

constexpr llvm::StringLiteral apiFolder = "/include/torch/csrc/api/include";

/// Versions before 2 are written in C++17, newer ones in C++20.
std::string standardOf(const std::string &folder) {
  const auto text = readFileIfPossible(folder + apiFolder.str() + "/torch/version.h");
  const bool isOld = text && text->getBuffer().contains("#define TORCH_VERSION_MAJOR 1");
  return isOld ? "-std=c++17" : "-std=c++20";
}

std::string flagsFor(const std::string &folder) {
  const bool isPlain = folder.find_first_of(" \"$") == std::string::npos;
  std::string flags = standardOf(folder);
  for (const std::string &part : {folder + "/include", folder + apiFolder.str()})
    if (part != "/usr/include") // Where compilers look by themselves.
      flags += " -isystem " + (isPlain ? part : "'" + part + "'");
  return flags;
}

} // namespace

std::string libtorchFlags() {
  for (const std::string &candidate : candidates()) {
    llvm::SmallString<256> folder(candidate);
    llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
    if (fs::exists(folder + apiFolder + "/torch/torch.h"))
      return flagsFor(std::string(folder));
  }
  return flagsFor("/path/to/libtorch");
}

} // namespace gradtidy
