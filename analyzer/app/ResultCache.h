// Results of earlier runs: a unit of which nothing has changed is not parsed again.
#pragma once

#include "UnitResult.h"
#include "analyzer/frontend/CacheFolder.h"
#include "analyzer/frontend/HeaderCache.h"
#include "analyzer/source/Partners.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>

namespace clang::tidy {
class ClangTidyContext;
} // namespace clang::tidy

namespace gradtidy {

/// A result holds as long as the command, the configuration, the models and the program are the
/// same, every file that the unit read, and the partners of the unit, and as long as no header
/// turns up that it would include.
class ResultCache {
public:
  /// \param headers knows the files behind a precompiled header. All must outlive this object.
  ResultCache(CacheFolder folder, CacheTrouble &trouble, HeaderCache &headers, Partners &partners,
              clang::tidy::ClangTidyContext &context)
      : folder(std::move(folder)), trouble(trouble), headers(headers), partners(partners),
        context(context) {}

  std::optional<UnitResult> find(const Job &job, const std::string &projectFolder);
  void add(const Job &job, const std::string &projectFolder, const UnitResult &result);

  /// Brings the cache back to its size, after results were added.
  void tidyUp() const { folder.evict({}); }

private:
  std::string fileOf(const Job &job, const std::string &projectFolder);
  bool isUnchanged(const ReadFile &file);
  const std::string &projectRootOf(const Job &job, const std::string &projectFolder);

  CacheFolder folder;
  CacheTrouble &trouble;
  HeaderCache &headers;
  Partners &partners;
  clang::tidy::ClangTidyContext &context;
  llvm::StringMap<std::pair<FileIdentity, bool>> known; ///< By path: whether it holds.
  RealPaths realPaths;
  LookupChecker lookups;
  llvm::StringMap<std::string> projectRoots; ///< By folder.
};

} // namespace gradtidy
