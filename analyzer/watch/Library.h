// The watching library (the folder watch/ of the repository), built for the LibTorch of a program.
#pragma once

#include "analyzer/frontend/CacheFolder.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// A LibTorch, as the compiler and the linker find it.
struct TorchLocation {
  std::string include; ///< The folder with torch/ and ATen/.
  std::string lib;     ///< The folder with libtorch_cpu.so.
};

/// The LibTorch that the dynamic linker gives \p program, with its headers in the folder include/
/// beside it or in that of \p folder, if not empty. Throws std::runtime_error with what to do if
/// the program has none, has it linked statically, or there are no headers.
TorchLocation locateTorch(const std::string &program, const std::string &folder);

/// Whether the dynamic linker loads libtorch_cpu.so for \p program.
bool loadsTorch(const std::string &program);

/// The path of the library: built from \p sources, a folder, against \p torch, or what was built so
/// before and is in \p cache. Throws std::runtime_error with the compiler's message.
std::string buildWatchLibrary(const TorchLocation &torch, const std::string &sources,
                              const CacheFolder &cache);

} // namespace gradtidy
