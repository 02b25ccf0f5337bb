// Flags of other compilers made readable for clang: a database says how gcc, nvcc or some clang
// compiles a file; the analysis wants the same file as clang's driver parses it.
#pragma once

#include "FlagGate.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace gradtidy {

/// A command line to translate, and what others add to it.
struct FlagsRequest {
  /// argv of gcc, g++, nvcc, clang, or of a launcher such as ccache before them.
  std::vector<std::string> commandLine;
  FlagOrigin origin = FlagOrigin::Database; ///< Of the command line.
  std::string file; ///< The unit's main file; takes the place of the inputs of the command line.
  std::string directory; ///< Where relative paths start; the working directory if empty.
  /// --extra-arg-before and --extra-arg of the person who runs gradtidy: they are passed on as
  /// given.
  std::vector<std::string> ownBefore, ownAfter;
  /// ExtraArgsBefore, ExtraArgs and RemovedArgs of configuration files. The last are words of the
  /// command line: what is added here cannot be removed.
  std::vector<std::string> before, after, removed;

  /// Whether the person who runs gradtidy has given flags.
  bool hasOwnFlags() const {
    return origin == FlagOrigin::Person || !ownBefore.empty() || !ownAfter.empty();
  }
};

/// Translates a command line into one that clang's driver accepts and that only parses: argv[0],
/// the flags that pass the gate (FlagGate.h), -fsyntax-only, and the file as its one input.
///
/// Response files are expanded. Positive warnings of a database are dropped; -Wno-… stays, since it
/// can turn an error of clang off. CUDA is parsed for the host alone. Never fails: what cannot be
/// understood is dropped.
///
/// \param refused see FlagGate::refused; may be null.
std::vector<std::string> normaliseFlags(const FlagsRequest &request,
                                        std::vector<std::string> *refused = nullptr);

/// The same for a command line of a database.
std::vector<std::string> normaliseFlags(std::vector<std::string> commandLine, llvm::StringRef file,
                                        llvm::StringRef directory = {});

} // namespace gradtidy
