// Precompiled headers of frameworks, made once for all units and runs that can share them.
#pragma once

#include "FrameworkIncludes.h"
#include "HeaderEntry.h"
#include "Precompile.h"
#include "UserCode.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace clang {
class CompilerInvocation;
class FileManager;
} // namespace clang

namespace gradtidy {

/// The headers of a framework are parsed once, bodies skipped, and read back by every unit with the
/// same flags that includes any of them. See docs/decisions/0013-framework-first.md.
class HeaderCache {
public:
  /// \param places  where headers are found, and the first that can be written is where they are
  ///                kept.
  /// \param trouble is told of others; must outlive this object.
  /// \param onMaking is told the header of a framework before it is precompiled, which takes
  /// seconds.
  HeaderCache(std::vector<CacheFolder> places, CacheTrouble &trouble,
              std::function<void(llvm::StringRef header)> onMaking);
  ~HeaderCache();

  struct Header {
    std::string file;
    std::string stamp; ///< Of its contents.
    /// Those of the unit's include path that come before its own, but are not part of it: a header
    /// there would be included in place of one that it has.
    std::vector<std::string> folders = {};
  };

  /// A precompiled header to parse the unit of \p invocation over, made now if there is none; with
  /// empty names if there is nothing of a framework in the unit, or no such header can be had.
  /// \param headers  a framework's, as Model::headers() has them.
  /// \param userCode learns the folders of the framework.
  Header find(const clang::CompilerInvocation &invocation, clang::FileManager &files,
              const std::vector<std::string> &headers, UserCode &userCode);

  /// Whether a unit of this foreword means the same behind \p header, as far as macros go.
  bool commutes(const Header &header, const Foreword &foreword);

  /// Whether there is a header of this stamp, all files of it are unchanged, and \p folders (see
  /// Header) hold none of the same names.
  bool holds(llvm::StringRef stamp, const std::vector<std::string> &folders);

  /// \p file, a header, cannot be read.
  void discard(const std::string &file);

  // ---- headers of other kinds ----

  /// The entry of \p key, if there is one that holds.
  HeaderEntry *known(const std::string &key);

  struct Maker {
    /// The contents of a header made of \p sourceFile; empty if that cannot be done.
    std::function<Precompiled(llvm::StringRef sourceFile, HeaderRecord &record)> make;
    /// Completes the record of \p target, which was made. Null if there is nothing to add.
    std::function<void(llvm::StringRef target, HeaderRecord &record)> complete;
  };
  /// The entry of \p key, made of \p source if there is none; null if that cannot be had. It may
  /// be one that is not usable.
  HeaderEntry *make(const std::string &key, llvm::StringRef source, const Maker &maker);

  /// \p file, a header, is not to be used; it is not made again for some hours.
  void refuse(const std::string &file);

private:
  std::unique_ptr<HeaderEntry> load(const std::string &key) const;
  std::unique_ptr<HeaderEntry> makeNow(const std::string &key, llvm::StringRef source,
                                       const Maker &maker);
  std::error_code keep(const CacheFolder &place, const std::string &key, llvm::StringRef source,
                       const Precompiled &contents, HeaderRecord &record, const Maker &maker);

  std::vector<CacheFolder> places;
  CacheTrouble &trouble;
  std::function<void(llvm::StringRef)> onMaking;
  llvm::StringMap<std::unique_ptr<HeaderEntry>> entries; ///< By key; null for what cannot be had.
  /// Stamps of headers with unchanged files, with those of the headers they were made behind.
  llvm::StringMap<std::vector<std::string>> held;
};

} // namespace gradtidy
