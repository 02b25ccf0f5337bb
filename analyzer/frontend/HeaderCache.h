// Precompiled headers of frameworks, made once for all units and runs that can share them.
#pragma once

#include "CacheFolder.h"
#include "Preamble.h"
#include "UserCode.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>

namespace clang {
class CompilerInvocation;
class FileManager;
} // namespace clang

namespace gradtidy {

/// Of --stats; see PhaseTimer.
inline constexpr llvm::StringLiteral makingPhase = "precompiling";

/// What a unit includes of a framework before all else is parsed once, bodies skipped, and read
/// back by every unit with the same flags and includes. A unit gets a header only if it means the
/// same there as in its own place; whatever is in doubt is parsed in full. See
/// docs/decisions/0009-header-cache.md.
class HeaderCache {
public:
  explicit HeaderCache(CacheFolder folder);
  ~HeaderCache();

  struct Header {
    std::string file;
    std::string stamp; ///< Of its contents.
  };

  /// A precompiled header to parse the unit of \p invocation over, made now if there is none; with
  /// empty names if the unit is to be parsed without.
  /// \param headers  a framework's, as Model::headers() has them.
  /// \param userCode learns the folders of the framework.
  Header find(const clang::CompilerInvocation &invocation, clang::FileManager &files,
              const std::vector<std::string> &headers, UserCode &userCode);

  /// Whether there is a header of this stamp whose files are all unchanged.
  bool holds(llvm::StringRef stamp);

  /// \p file, a header, cannot be read.
  void discard(const std::string &file);

private:
  class Entry;
  Entry *get(const std::string &key, const clang::CompilerInvocation &maker,
             const Preamble &preamble, clang::FileManager &files);

  CacheFolder folder;
  llvm::StringMap<std::unique_ptr<Entry>> entries; ///< By key; null for what cannot be had.
};

} // namespace gradtidy
