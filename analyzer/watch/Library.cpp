#include "Library.h"

#include "analyzer/frontend/FileIdentity.h"
#include "analyzer/prove/Programs.h"
#include "analyzer/source/BoundedFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

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

enum class Kind : unsigned char { Script, Static, Dynamic };

/// A program without an interpreter starts by itself: nothing can be loaded before it.
Kind kindOf(const std::string &file) {
  auto opened = llvm::object::ObjectFile::createObjectFile(file);
  if (!opened) {
    llvm::consumeError(opened.takeError());
    return Kind::Script;
  }
  const auto *elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(opened->getBinary());
  auto headers = elf ? elf->getELFFile().program_headers() : llvm::createStringError("");
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return Kind::Static;
  }
  return llvm::any_of(*headers,
                      [](const auto &header) { return header.p_type == llvm::ELF::PT_INTERP; })
             ? Kind::Dynamic
             : Kind::Static;
}

std::string contentOf(const std::string &file) {
  auto buffer = readFile(file);
  if (!buffer)
    throw std::runtime_error("cannot read '" + file + "': " + llvm::toString(buffer.takeError()));
  return (*buffer)->getBuffer().str();
}

std::string stamp(const std::string &file) {
  std::string stamp = stampOf(file);
  if (stamp.empty())
    throw std::runtime_error("'" + file + "' is not there");
  return stamp;
}

/// Whether LibTorch was built with GCC's strings from before C++11, as PyPI's before 2.6.
bool hasOldStrings(const TorchLocation &torch) {
  const std::string library = torch.lib + "/libc10.so";
  return fs::exists(library) && contentOf(library).find("__cxx11") == std::string::npos;
}

} // namespace

bool loadsTorch(const std::string &program) {
  return kindOf(program) == Kind::Dynamic && !findTorchLibrary(program).empty();
}

TorchLocation locateTorch(const std::string &program, const std::string &folder) {
  const Kind kind = kindOf(program);
  if (kind == Kind::Script)
    throw std::runtime_error("'" + program +
                             "' is no program but a script: name the program that it starts");
  const std::string library = kind == Kind::Dynamic ? findTorchLibrary(program) : "";
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
    all += contentOf(file);
    if (path::extension(file) == ".cpp")
      text += "#include \"" + file + "\"\n";
  }
  if (text.empty())
    throw std::runtime_error("the sources of the watching library are not in '" + sources + "'");
  for (const std::string &file :
       {compiler, torch.lib + "/libtorch_cpu.so", torch.lib + "/libc10.so"})
    all += stamp(file);
  const std::string key = checksum(all + text);
  const std::string result = cache.file(key, "so"), source = cache.file(key, "cpp");
  const auto lock = cache.lock(key, std::chrono::minutes(10));
  if (CacheFolder::isSealed(result)) {
    cache.touch(result);
    return result;
  }
  const auto cannotWrite = [&](std::error_code why) {
    return std::runtime_error("cannot write into '" + cache.path() + "': " + why.message());
  };
  if (const std::error_code why = cache.writeRaw(source, text))
    throw cannotWrite(why);
  const auto made = cache.temporary();
  if (!made)
    throw cannotWrite(made.getError());
  std::vector<std::string> arguments = {compiler,
                                        "-shared",
                                        "-fPIC",
                                        "-std=c++20",
                                        "-O2",
                                        "-DNDEBUG", // LibTorch's classes are laid out by it.
                                        "-w",
                                        "-isystem",
                                        torch.include,
                                        "-isystem",
                                        torch.include + "/torch/csrc/api/include",
                                        source,
                                        "-o",
                                        (*made)->beside(),
                                        "-L" + torch.lib,
                                        "-ltorch_cpu",
                                        "-lc10",
                                        "-ldl",
                                        "-Wl,-rpath," + torch.lib};
  if (hasOldStrings(torch))
    arguments.insert(arguments.begin() + 1, "-D_GLIBCXX_USE_CXX11_ABI=0");
  const CommandOutput output = runCommand(arguments);
  if (output.status != 0)
    throw std::runtime_error("the watching library does not build against the LibTorch in '" +
                             torch.lib + "':\n" + output.err);
  if (const std::error_code why = (*made)->publishBeside(result))
    throw cannotWrite(why);
  if (const std::error_code why = cache.seal(result))
    throw cannotWrite(why);
  cache.evict(key);
  return result;
}

} // namespace gradtidy
