// Every check of the catalogue as a check of clang-tidy. The same module is linked into gradtidy,
// built as a plugin for clang-tidy (-load) and linked into clangd.
//
// Check options, for all checks and for one (which wins):
//   ml.Level, ml-NAME.Level  show findings up to this level, 0 to 2. Default 1; 2 for a check that
//                            the Checks option names exactly, not by a glob.
//   ml.Models                model files for frameworks of one's own, separated by semicolons.
//   ml.Exclude               globs of files that gradtidy leaves out, separated by semicolons; of
//   no
//                            meaning in clang-tidy, which has ExcludeHeaderFilterRegex.
//   ml.ProjectFolder         the project root of files that lie outside version control; by default
//                            the folder of the unit's main file.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <set>
#include <string>

namespace gradtidy {

class Model;

inline constexpr llvm::StringLiteral levelOption = "ml.Level";
inline constexpr llvm::StringLiteral deviceMemoryOption = "ml-batch-size-oom.DeviceMemory";
inline constexpr llvm::StringLiteral modelsOption = "ml.Models";
inline constexpr llvm::StringLiteral excludeOption = "ml.Exclude";
inline constexpr llvm::StringLiteral projectFolderOption = "ml.ProjectFolder";

/// The bundled models and those of the files in \p paths (as in ml.Models), read once per process.
/// The result lives as long as the process.
llvm::Expected<const Model *> loadModels(llvm::StringRef paths);

/// What the user is told of a function in UnitCoverage::cutShort, before its name.
inline constexpr llvm::StringLiteral notFollowed =
    "Not analysed to the end (too large, too deep, or calls too deep): ";

/// How much of their units analyses have seen.
struct UnitCoverage {
  size_t functions = 0; ///< That were analysed, once for each unit in which they were.
  /// Those, as `name (file:line)`, that were not followed to the end: they are too large, or call
  /// too deep (see Interpreter's bounds).
  std::set<std::string> cutShort;
};

} // namespace gradtidy
