// Flags of other compilers made readable for clang: a database says how gcc, nvcc or some clang
// compiles a file; the analysis wants the same file as clang's driver parses it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace gradtidy {

/// Translates \p commandLine (argv of gcc, g++, nvcc, clang, or of a launcher such as ccache before
/// them) into one that clang's driver accepts and that only parses: argv[0], the flags that change
/// the meaning of the program, -fsyntax-only, and \p file as its one input.
///
/// Response files are expanded. Flags that clang does not know, load plugins, write files or only
/// tune code generation and warnings are dropped; -Wno-… stays, since it can turn an error of clang
/// off. CUDA is parsed for the host alone. Never fails: what cannot be understood is dropped.
///
/// \param file      the unit's main file; takes the place of the inputs in the command line.
/// \param directory where relative paths of the command line start; the working directory if empty.
std::vector<std::string> normaliseFlags(std::vector<std::string> commandLine, llvm::StringRef file,
                                        llvm::StringRef directory = {});

} // namespace gradtidy
