// Fixture programs, built against a tensor library and run.
#pragma once

#include "analyzer/frontend/CacheFolder.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace gradtidy {

/// What programs are built with and for.
struct Library {
  std::string name;               ///< For people.
  std::string file;               ///< The library itself: what was built before it changed is old.
  std::vector<std::string> flags; ///< Of the compiler.
  std::vector<std::string> link;  ///< Of the linker, behind the program.
  std::string toolkit = {}; ///< The header before sources of CUDA; empty if it cannot run any.
};

/// The runtime that comes with gradtidy. \p include is its folder runtime/compat, \p library its
/// libgradtidy_runtime.a, beside which libgradtidy_runtime.link tells what else to link.
Library bundledRuntime(const std::string &include, const std::string &library);

/// LibTorch for CPUs, in a folder with include/ and lib/; throws std::runtime_error if there is
/// none.
Library libtorch(const std::string &folder);

/// The compiler: $CXX, else the first there is of clang++-22, clang++, c++ and g++. Throws
/// std::runtime_error if there is none.
std::string findCompiler();

/// Builds programs that include \p header, over a precompiled one. What was built stays in \p cache
/// and is taken from there as long as nothing has changed. All methods throw std::runtime_error
/// with the compiler's message.
class Builder {
public:
  Builder(std::string compiler, Library library, std::string header, const CacheFolder &cache);

  /// Precompiles the header unless that has been done.
  void prepare() const;
  /// One program for all \p sources, which runs as the one whose position is its argument: nearly
  /// all the time goes into what each would instantiate of the library for itself.
  std::string build(const std::vector<std::string> &sources) const;

private:
  std::string key(llvm::StringRef text) const;
  void write(const std::string &file, const std::string &text) const;
  /// Makes \p result by \p flags; \p source is to blame for errors.
  void compile(const std::string &source, const std::vector<std::string> &flags,
               const std::string &result) const;

  std::string compiler;
  Library library;
  std::string header, precompiled;
  const CacheFolder &cache;
};

struct CommandOutput {
  int status = 0; ///< Negative if it did not end by itself; \p err ends in the reason then.
  std::string out, err;
};

/// Runs \p arguments, the first of which is the path of a program, with \p variables ("NAME=value")
/// in its environment, and kills it after \p seconds, if not 0. No shell is involved.
CommandOutput runCommand(const std::vector<std::string> &arguments,
                         const std::vector<std::string> &variables = {}, unsigned seconds = 0);

} // namespace gradtidy
