#include "Programs.h"

#include "LaunchSyntax.h"
#include "analyzer/frontend/FileIdentity.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <chrono>
#include <stdexcept>

#include <unistd.h>

namespace gradtidy {

namespace fs = llvm::sys::fs;
using llvm::StringRef;

namespace {

std::string read(const llvm::Twine &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    throw std::runtime_error(file.str() + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

std::string stamp(const std::string &file) {
  std::string stamp = stampOf(file);
  if (stamp.empty())
    throw std::runtime_error(file + " is not there");
  return stamp;
}

std::vector<std::string> words(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  llvm::SplitString(text, parts);
  return {parts.begin(), parts.end()};
}

void append(std::vector<std::string> &all, const std::vector<std::string> &more) {
  all.insert(all.end(), more.begin(), more.end());
}

} // namespace

Library bundledRuntime(const std::string &include, const std::string &library) {
  // As a system's: its own tests see to warnings, which GCC gives over a precompiled header
  // whatever the header says.
  Library result{"the bundled runtime",
                 library,
                 {"-isystem", include},
                 {library},
                 llvm::sys::path::parent_path(include).str() + "/toolkit/cuda_runtime.h"};
  append(result.link,
         words(read(llvm::sys::path::parent_path(library) + "/libgradtidy_runtime.link")));
  return result;
}

Library libtorch(const std::string &folder) {
  if (folder.empty())
    throw std::runtime_error("name LibTorch's folder, with include/ and lib/, by --libtorch");
  const std::string include = folder + "/include", lib = folder + "/lib";
  if (!fs::exists(lib + "/libtorch_cpu.so") || !fs::exists(include + "/torch"))
    throw std::runtime_error("no LibTorch in '" + folder +
                             "': name the folder of its include/ and lib/ by --libtorch");
  return {"LibTorch",
          lib + "/libtorch_cpu.so",
          {"-isystem", include, "-isystem", include + "/torch/csrc/api/include"},
          {"-L" + lib, "-ltorch_cpu", "-lc10", "-Wl,-rpath," + lib}};
}

std::string findCompiler() {
  const std::optional<std::string> chosen = llvm::sys::Process::GetEnv("CXX");
  for (const std::string &name :
       chosen ? std::vector<std::string>{*chosen}
              : std::vector<std::string>{"clang++-22", "clang++", "c++", "g++"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  throw std::runtime_error(chosen ? "the compiler '" + *chosen + "', which $CXX names, is not there"
                                  : "no C++ compiler: install g++ or clang, or name one by $CXX");
}

CommandOutput runCommand(const std::vector<std::string> &arguments,
                         const std::vector<std::string> &variables, unsigned seconds) {
  llvm::SmallString<128> out, err;
  if (fs::createTemporaryFile("gradtidy", "out", out) ||
      fs::createTemporaryFile("gradtidy", "err", err))
    throw std::runtime_error("cannot write a temporary file");
  const llvm::FileRemover removeOut(out), removeErr(err);
  // Of two of one name the first counts.
  std::vector<StringRef> environment(variables.begin(), variables.end());
  for (char **variable = environ; *variable; ++variable)
    environment.emplace_back(*variable);
  const std::vector<StringRef> words(arguments.begin(), arguments.end());
  const std::optional<StringRef> redirects[] = {StringRef(""), StringRef(out), StringRef(err)};
  CommandOutput result;
  std::string reason;
  result.status =
      llvm::sys::ExecuteAndWait(arguments.front(), words, llvm::ArrayRef<StringRef>(environment),
                                redirects, seconds, /*MemoryLimit=*/0, &reason);
  result.out = read(out);
  result.err = read(err) + reason;
  return result;
}

Builder::Builder(std::string compiler, Library given, std::string header, const CacheFolder &cache)
    : compiler(std::move(compiler)), library(std::move(given)), header(std::move(header)),
      cache(cache) {
  // Nothing in these programs takes time but the library. In a namespace, main() has to return.
  append(library.flags, {"-std=c++20", "-O0", "-Werror=return-type"});
  append(library.flags, words(llvm::sys::Process::GetEnv("CXXFLAGS").value_or("")));
  // A compiler takes X.h.gch for -include X.h.
  precompiled = cache.file(key("header"), "h");
}

/// What stands for \p source in a program of all: sources of CUDA are rewritten.
static std::string textFor(const std::string &source) {
  if (!StringRef(source).ends_with(".cu"))
    return "#include \"" + source + "\"";
  try {
    return "#line 1 \"" + source + "\"\n" + withoutLaunchSyntax(read(source));
  } catch (const std::runtime_error &failure) {
    throw std::runtime_error(source + ": " + failure.what());
  }
}

/// Names what is made of \p text.
std::string Builder::key(StringRef text) const {
  std::string all = text.str();
  for (const std::string &file : {compiler, library.file, header})
    all += "\n" + file + " " + stamp(file);
  for (const std::string &word : library.flags)
    all += "\n" + word;
  return checksum(all);
}

void Builder::write(const std::string &file, const std::string &text) const {
  if (const std::error_code error = cache.writeRaw(file, text))
    throw std::runtime_error("cannot write '" + file + "': " + error.message());
}

void Builder::compile(const std::string &source, const std::vector<std::string> &flags,
                      const std::string &result) const {
  const auto made = cache.temporary();
  if (!made)
    throw std::runtime_error("cannot write into '" + cache.path() +
                             "': " + made.getError().message());
  std::vector<std::string> arguments = {compiler, "-o", (*made)->beside()};
  append(arguments, library.flags);
  append(arguments, flags);
  const CommandOutput output = runCommand(arguments);
  if (output.status != 0)
    throw std::runtime_error("'" + source + "' does not build with " + library.name + ":\n" +
                             output.err);
  fs::setPermissions((*made)->beside(), fs::all_read | fs::all_exe);
  std::error_code error = (*made)->publishBeside(result);
  if (!error)
    error = cache.seal(result);
  if (error)
    throw std::runtime_error("cannot write '" + result + "': " + error.message());
}

void Builder::prepare() const {
  const std::string result = precompiled + ".gch";
  const auto lock = cache.lock(llvm::sys::path::stem(precompiled), std::chrono::minutes(5));
  if (CacheFolder::isSealed(result))
    return cache.touch(result);
  // A file beside it that compilers take where they refuse what was precompiled.
  write(precompiled, "#include \"" + header + "\"\n");
  compile(header, {"-x", "c++-header", precompiled}, result);
}

std::string Builder::build(const std::vector<std::string> &sources) const {
  // Includes of what is precompiled are empty, those of a program come into its namespace.
  std::string text, mains, contents;
  std::vector<std::string> flags = {"-s", "-include", precompiled};
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string name = "program" + std::to_string(i);
    text += "namespace " + name + " {\n" + textFor(sources[i]) + "\n}\n";
    mains += name + "::main, ";
    contents += read(sources[i]);
    if (StringRef(sources[i]).ends_with(".cu"))
      append(flags, {"-iquote", llvm::sys::path::parent_path(sources[i]).str()});
  }
  if (flags.size() > 3) { // It has the words of the language.
    if (library.toolkit.empty())
      throw std::runtime_error("kernels do not run with " + library.name);
    text = "#include \"" + library.toolkit + "\"\n" + text;
    contents += read(library.toolkit);
  }
  text += "int main(int, char **arguments) {\n  int (*const mains[])() = {" + mains +
          "};\n  return mains[std::atoi(arguments[1])]();\n}\n";

  const std::string name = key(text + contents);
  const std::string result = cache.file(name, "exe"), source = cache.file(name, "cpp");
  const auto lock = cache.lock(name, std::chrono::minutes(5));
  if (CacheFolder::isSealed(result)) {
    cache.touch(result);
    return result;
  }
  write(source, text);
  flags.push_back(source);
  append(flags, library.link);
  compile(sources.front(), flags, result);
  return result;
}

} // namespace gradtidy
