// How a unit begins: which headers of a framework it includes before anything of its own.
#pragma once

#include "UserCode.h"

#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
class FileManager;
} // namespace clang

namespace gradtidy {

/// The includes at the beginning of a unit that lie outside user code, in order: those of a
/// framework, and what comes before them. Up to the last one the unit, and the headers of its own
/// that it includes, have nothing but includes and directives. Headers of the standard libraries
/// are left out: they may be included in any order.
struct Preamble {
  struct Include {
    std::string name; ///< As it is written, in <> or "".
    std::string path; ///< Of the file found, absolute.
  };
  std::vector<Include> includes; ///< Empty if the unit does not begin with a framework's headers.

  /// Macros that the unit defines or undefines there (include guards among them), and those that it
  /// asks for or makes sure not to have.
  std::vector<std::string> defined, tested;
};

/// Preprocesses the beginning of the main file of \p invocation; headers outside user code are not
/// read.
/// \param headers  a framework's, as Model::headers() has them.
/// \param userCode learns the folders of the framework.
Preamble scanPreamble(const clang::CompilerInvocation &invocation, clang::FileManager &files,
                      const std::vector<std::string> &headers, UserCode &userCode);

} // namespace gradtidy
