// What a unit was made of: its command, its configuration and all files that it read.
#pragma once

#include "analyzer/frontend/FileIdentity.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/HeaderCache.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <utility>
#include <vector>

namespace clang::tidy {
class ClangTidyContext;
} // namespace clang::tidy

namespace gradtidy {

/// The files of units, and where headers may turn up that they would include.
struct InputFiles {
  std::vector<ReadFile> files;
  std::vector<Lookup> lookups;
  /// Stamps of precompiled headers, with the folders of HeaderCache::Header.
  std::vector<std::pair<std::string, std::vector<std::string>>> headers;

  void add(const InputFiles &others);
  /// Adds those of \p unit; false if not all of them are known.
  bool add(const Unit &unit);
};

class UnitInputs {
public:
  /// \param headers knows the files behind a precompiled header. All must outlive this object.
  UnitInputs(HeaderCache &headers, clang::tidy::ClangTidyContext &context,
             const std::string &projectFolder)
      : headers(headers), context(context), projectFolder(projectFolder) {}

  /// A checksum of all that a unit is made with but its files: the command, the configuration, the
  /// models and this program.
  std::string keyOf(const Job &job);

  /// Whether the files are those that were read, and no header has turned up.
  bool hold(const InputFiles &read);

private:
  bool isUnchanged(const ReadFile &file);
  const std::string &projectRootOf(const Job &job);

  HeaderCache &headers;
  clang::tidy::ClangTidyContext &context;
  const std::string &projectFolder;
  llvm::StringMap<std::pair<FileIdentity, bool>> known; ///< By path: whether it holds.
  RealPaths realPaths;
  LookupChecker lookups;
  llvm::StringMap<std::string> projectRoots; ///< By folder.
};

} // namespace gradtidy
