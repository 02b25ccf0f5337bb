#include "Library.h"

#include "analyzer/prove/Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <stdexcept>

namespace gradtidy {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
using llvm::StringRef;

namespace {

constexpr StringRef torchHeader = "/torch/csrc/api/include/torch/torch.h";

/// Where the dynamic linker finds libtorch_cpu.so for \p program, or empty.
std::string findTorchLibrary(const std::string &program) {
  // As ldd does: the linker says what it would load, and the program does not run.
  const CommandOutput output = runCommand({program}, {"LD_TRACE_LOADED_OBJECTS=1"}, 60);
  llvm::SmallVector<StringRef> lines;
  StringRef(output.out).split(lines, '\n');
  for (const StringRef line : lines) {
    const auto [name, rest] = line.trim().split(" => ");
    if (name == "libtorch_cpu.so")
      return rest.take_until([](char letter) { return letter == ' '; }).str();
  }
  return {};
}

bool isElf(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFileSlice(file, 4, 0);
  return buffer && (*buffer)->getBuffer() == "\x7f"
                                             "ELF";
}

std::string readFile(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    throw std::runtime_error(file + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

std::string stamp(const std::string &file) {
  fs::file_status status;
  if (fs::status(file, status))
    throw std::runtime_error(file + " is not there");
  return file + " " + std::to_string(status.getSize()) + " " +
         std::to_string(status.getLastModificationTime().time_since_epoch().count());
}

/// Whether LibTorch was built with GCC's strings from before C++11, as PyPI's before 2.6.
bool hasOldStrings(const TorchLocation &torch) {
  const std::string library = torch.lib + "/libc10.so";
  return fs::exists(library) && readFile(library).find("__cxx11") == std::string::npos;
}

} // namespace

TorchLocation locateTorch(const std::string &program, const std::string &folder) {
  if (!isElf(program))
    throw std::runtime_error("'" + program +
                             "' is no program but a script: name the program that it starts");
  const std::string library = findTorchLibrary(program);
  if (library.empty())
    throw std::runtime_error(
        "'" + program +
        "' does not load libtorch_cpu.so: watch needs a program that links LibTorch dynamically");
  llvm::SmallString<256> real;
  if (fs::real_path(library, real))
    real = library;
  TorchLocation torch{"", path::parent_path(real).str()};
  for (const std::string &candidate : {folder.empty() ? std::string() : folder + "/include",
                                       (path::parent_path(torch.lib) + "/include").str()})
    if (torch.include.empty() && !candidate.empty() && fs::exists(candidate + torchHeader))
      torch.include = candidate;
  if (torch.include.empty())
    throw std::runtime_error("no headers of LibTorch beside '" + torch.lib +
                             "': name the folder of its include/ by --libtorch");
  return torch;
}

std::string buildWatchLibrary(const TorchLocation &torch, const std::string &sources,
                              const CacheFolder &cache) {
  const std::string compiler = findCompiler();
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator file(sources, error), end; !error && file != end;
       file.increment(error))
    if (path::extension(file->path()) == ".cpp" || path::extension(file->path()) == ".h")
      files.push_back(file->path());
  llvm::sort(files);
  // One unit: nearly all of the time goes into LibTorch's headers.
  std::string text, all;
  for (const std::string &file : files) {
    all += readFile(file);
    if (path::extension(file) == ".cpp")
      text += "#include \"" + file + "\"\n";
  }
  if (text.empty())
    throw std::runtime_error("the sources of the watching library are not in '" + sources + "'");
  for (const std::string &file :
       {compiler, torch.lib + "/libtorch_cpu.so", torch.lib + "/libc10.so"})
    all += stamp(file);
  const std::string key = llvm::utohexstr(llvm::xxh3_64bits(all + text), true, 16);
  // The library takes itself for the one of this name when it leaves LD_PRELOAD.
  const std::string folder = cache.file(key, "watch"), result = folder + "/libgradtidy-watch.so";
  const auto lock = cache.lock(key, std::chrono::minutes(10));
  if (fs::exists(result)) {
    cache.touch(folder);
    return result;
  }
  const std::string source = cache.file(key, "cpp"), made = cache.temporaryFile();
  if (made.empty() || !cache.write(source, text))
    throw std::runtime_error("cannot write into '" + cache.path() + "'");
  std::vector<std::string> arguments = {compiler,
                                        "-shared",
                                        "-fPIC",
                                        "-std=c++20",
                                        "-O1",
                                        "-DNDEBUG", // LibTorch's classes are laid out by it.
                                        "-w",
                                        "-isystem",
                                        torch.include,
                                        "-isystem",
                                        torch.include + "/torch/csrc/api/include",
                                        source,
                                        "-o",
                                        made,
                                        "-L" + torch.lib,
                                        "-ltorch_cpu",
                                        "-lc10",
                                        "-ldl",
                                        "-Wl,-rpath," + torch.lib,
                                        "-Wl,-soname,libgradtidy-watch.so"};
  if (hasOldStrings(torch))
    arguments.insert(arguments.begin() + 1, "-D_GLIBCXX_USE_CXX11_ABI=0");
  const CommandOutput output = runCommand(arguments);
  if (output.status != 0) {
    fs::remove(made);
    throw std::runtime_error("the watching library does not build against the LibTorch in '" +
                             torch.lib + "':\n" + output.err);
  }
  fs::create_directories(folder);
  if (fs::rename(made, result))
    throw std::runtime_error("cannot write '" + result + "'");
  return result;
}

} // namespace gradtidy
