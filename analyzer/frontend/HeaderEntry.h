// A precompiled header in a folder of the cache, and what is written down beside it.
#pragma once

#include "CacheFolder.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gradtidy {

/// What is written down beside a header.
struct HeaderRecord {
  std::vector<std::pair<std::string, FileIdentity>> files; ///< All it was made of.

  /// By kind:
  ///   include      names of includes, as written
  ///   unguarded    files of which another include is another reading
  ///   word         all identifiers
  ///   base         the stamp of the header that this one was made behind
  ///   partners, misfit, declaration: see OwnHeader
  std::map<std::string, std::vector<std::string>> facts;
};

/// A header and its record, KEY.pch and KEY.txt, beside the source it was made of, KEY.h:
///
///     FORMAT
///     made SIZE TIME CONTENT            or: failed SECONDS
///     file SIZE TIME CONTENT PATH       …
///     KIND FACT                         …
class HeaderEntry {
public:
  /// Changes with the form of the files, and with what is left out of a header.
  static constexpr llvm::StringLiteral format = "gradtidy header 4 " GRADTIDY_VERSION;

  /// Null if there is no entry, or one that does not hold any more: a file has changed.
  static std::unique_ptr<HeaderEntry> load(const CacheFolder &folder, const std::string &key);

  /// The text of a record. \p header is empty for one that could not be made: it is not tried again
  /// for some hours.
  static std::string write(const std::string &header, const HeaderRecord &record);

  bool usable() const { return made; }
  const std::string &file() const { return header; }

  /// The key and what the header was made of, whenever that was.
  std::string stamp() const;

  bool has(llvm::StringRef kind, llvm::StringRef fact) const;
  std::vector<llvm::StringRef> facts(llvm::StringRef kind) const;

  /// Whether a header included here is also found in \p folder.
  bool isShadowedBy(const std::string &folder);

private:
  HeaderEntry(std::unique_ptr<llvm::MemoryBuffer> text, std::string header)
      : text(std::move(text)), header(std::move(header)) {}
  bool read();

  std::unique_ptr<llvm::MemoryBuffer> text;
  std::string header;
  bool made = false;
  llvm::StringMap<std::vector<llvm::StringRef>> includes; ///< By their first part.
  llvm::StringMap<bool> shadows;                          ///< By folder.
};

} // namespace gradtidy
