// A precompiled header in a folder of the cache, and what is written down beside it.
#pragma once

#include "CacheFolder.h"
#include "FileIdentity.h"
#include "Lookups.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gradtidy {

/// What is written down beside a header.
struct HeaderRecord {
  std::vector<std::pair<std::string, FileIdentity>> files; ///< All it was made of.
  std::vector<Lookup> lookups; ///< What is not there, or another header would have been included.

  /// By kind:
  ///   include      names of includes, as written
  ///   unguarded    files of which another include is another reading
  ///   word         all identifiers
  ///   base         the stamp of the header that this one was made behind
  ///   declaration: see OwnHeader
  std::map<std::string, std::vector<std::string>> facts;
};

/// A header and its record, KEY.pch and KEY.txt, beside the source it was made of, KEY.h. The
/// record has a checksum (see CacheFolder::write), and the identities in it are those of the header
/// and its sources:
///
///     FORMAT
///     made IDENTITY                     or: failed SECONDS
///     file IDENTITY PATH                …
///     in FOLDER                         … of a lookup, and what is not there:
///     absent NAME                       …
///     KIND FACT                         …
///
/// What would end a line or a field, and '%', stands there as '%' and a digit.
class HeaderEntry {
public:
  /// Changes with the form of the files, and with what is left out of a header.
  static constexpr llvm::StringLiteral format = "gradtidy header 7 " GRADTIDY_VERSION;

  /// Null if there is no entry, or one that does not hold any more: a file has changed, or one of
  /// the cache is damaged or may be of somebody else.
  static std::unique_ptr<HeaderEntry> load(const CacheFolder &folder, const std::string &key);

  /// The text of a record, without \p header for one that could not be made: it is not tried again
  /// for some hours.
  static std::string write(const std::optional<FileIdentity> &header, const HeaderRecord &record);

  bool usable() const { return made; }
  const std::string &file() const { return header; }

  /// The key and what the header was made of, whenever that was.
  std::string stamp() const;

  bool has(llvm::StringRef kind, llvm::StringRef fact) const;
  std::vector<std::string> facts(llvm::StringRef kind) const;

  /// Whether a header included here is also found in one of \p folders.
  bool isShadowedBy(const std::vector<std::string> &folders);

private:
  HeaderEntry(std::string text, std::string header)
      : text(std::move(text)), header(std::move(header)) {}
  bool read();

  std::string text;
  std::string header;
  bool made = false;
  llvm::StringMap<std::vector<std::string>> includes; ///< By their first part.
  llvm::StringMap<bool> shadows;                      ///< By folder.
};

} // namespace gradtidy
