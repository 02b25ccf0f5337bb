// Compilation databases: where compile_commands.json is found, and what is said when it is broken.
#pragma once

#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace gradtidy {

/// One loaded compile_commands.json.
class Database {
public:
  /// Loads \p path: the file itself, or the folder that holds compile_commands.json.
  /// The error names the file and, for broken JSON, the line and column. An entry that is broken by
  /// itself costs no other: see problems().
  static llvm::Expected<std::unique_ptr<Database>> load(llvm::StringRef path);

  /// What is wrong with single entries, which are left out: clear texts without a full stop.
  llvm::ArrayRef<std::string> problems() const { return warnings; }

  /// The absolute path of the file.
  const std::string &path() const { return file; }

  /// The absolute, normalised paths of the sources, each once, in the order of the database.
  llvm::ArrayRef<std::string> sources() const { return files; }

  /// Whether \p source has several commands that differ in more than the output. The first counts.
  bool hasSeveral(llvm::StringRef source) const { return several.contains(source); }

  /// The entry of \p source (absolute), null if there is none. A source that is compiled several
  /// times (for several targets) is analysed as its first entry says: one finding is enough.
  const clang::tooling::CompileCommand *find(llvm::StringRef source) const;

  /// The folder that all sources have in common, or the folder above it in which the database or
  /// its build folder lies; empty for an empty database.
  const std::string &commonFolder() const { return folder; }

private:
  Database() = default;

  /// The commands of the entries in \p text; \p wrong where it has no entries that can be told.
  std::vector<clang::tooling::CompileCommand> read(llvm::StringRef text, llvm::Error &wrong);

  std::string file, folder;
  std::vector<std::string> warnings; ///< As problems() tells.
  std::vector<std::string> files;
  std::vector<clang::tooling::CompileCommand> commands; ///< Parallel to files.
  llvm::StringSet<> several;
  llvm::StringMap<size_t> indexOf; ///< By path, and by path without links.
};

/// Finds databases; looks into each folder once.
class DatabaseSearch {
public:
  /// Every compile_commands.json that may describe \p source (a file or folder, absolute), the
  /// likeliest first: in its nearest parent before that one's parents, in the parent itself before
  /// the build folders there (build, build-*, builddir, .build, cmake-build-*, out, _build, and the
  /// folders in them, as in out/build) by name.
  std::vector<std::string> around(llvm::StringRef source);

private:
  llvm::StringMap<std::vector<std::string>> databases; ///< By the root of a project.
};

} // namespace gradtidy
