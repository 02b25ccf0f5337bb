#include "HeaderCache.h"
#include "Ownership.h"

#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>

namespace gradtidy {

using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// Another process makes a header in some seconds; beyond this it is done without.
constexpr std::chrono::minutes patience(2);

/// What the driver has read before any source of CUDA.
constexpr StringRef cudaHeader = "__clang_cuda_runtime_wrapper.h";

/// Headers of the standard library that programs include beside a framework, which has the others:
/// their order is free.
constexpr StringRef standardHeaders[] = {"chrono", "filesystem", "fstream", "iomanip", "iostream",
                                         "random", "regex",      "sstream", "thread"};

/// Large headers of other libraries that many programs include beside a framework: they are part of
/// the header for units that include them.
constexpr StringRef companions[] = {"opencv2/opencv.hpp"};

// ---- what a header depends on ------------------------------------------------------------------

/// The folders of the include path that may hold headers of the user.
std::vector<std::string> usersFolders(const clang::CompilerInvocation &invocation,
                                      const clang::FileManager &files, const UserCode &userCode) {
  std::vector<std::string> folders;
  for (const auto &entry : invocation.getHeaderSearchOpts().UserEntries) {
    llvm::SmallString<256> absolute(entry.Path);
    files.makeAbsolutePath(absolute);
    if (userCode.mayHold(absolute))
      folders.emplace_back(absolute);
  }
  return folders;
}

/// The compiler of a unit as it makes a header for others, too: with the flags that matter to
/// headers of others.
std::shared_ptr<clang::CompilerInvocation> makerFor(const clang::CompilerInvocation &unit,
                                                    const clang::FileManager &files,
                                                    const UserCode &userCode) {
  std::shared_ptr<clang::CompilerInvocation> maker = precompilerFor(unit);
  llvm::erase_if(maker->getPreprocessorOpts().Includes,
                 [](StringRef header) { return header != cudaHeader; });
  std::vector<clang::HeaderSearchOptions::Entry> folders;
  for (clang::HeaderSearchOptions::Entry entry : unit.getHeaderSearchOpts().UserEntries) {
    llvm::SmallString<256> absolute(entry.Path);
    files.makeAbsolutePath(absolute);
    entry.Path = std::string(absolute);
    if (!userCode.mayHold(absolute))
      folders.push_back(std::move(entry));
  }
  maker->getHeaderSearchOpts().UserEntries = std::move(folders);
  return maker;
}

/// The name by which users include the header \p path of a framework.
StringRef nameOf(StringRef path, const std::vector<std::string> &headers) {
  const auto known = llvm::find_if(
      headers, [&](const std::string &header) { return path.ends_with("/" + header); });
  return known == headers.end() ? path::filename(path) : StringRef(*known);
}

std::string sourceOf(const std::vector<std::string> &headers, const OuterIncludes &includes) {
  std::string source;
  for (const std::string &header : headers)
    source += "#if __has_include(<" + header + ">)\n#include <" + header + ">\n#endif\n";
  for (const StringRef header : standardHeaders)
    source += ("#include <" + header + ">\n").str();
  for (const StringRef header : companions)
    if (llvm::is_contained(includes.others, header))
      source += ("#include <" + header + ">\n").str();
  return source;
}

} // namespace

// ---- the cache ---------------------------------------------------------------------------------

HeaderCache::HeaderCache(std::vector<CacheFolder> places, CacheTrouble &trouble,
                         std::function<void(StringRef)> onMaking)
    : places(std::move(places)), trouble(trouble), onMaking(std::move(onMaking)) {}
HeaderCache::~HeaderCache() = default;

HeaderCache::Header HeaderCache::find(const clang::CompilerInvocation &invocation,
                                      clang::FileManager &files,
                                      const std::vector<std::string> &headers, UserCode &userCode) {
  const clang::LangOptions &language = invocation.getLangOpts();
  if (!invocation.getPreprocessorOpts().ImplicitPCHInclude.empty() || !language.CPlusPlus ||
      language.ObjC)
    return {};
  const OuterIncludes includes = findOuterIncludes(invocation, files, headers, userCode);
  if (includes.framework.empty())
    return {};
  const auto maker = makerFor(invocation, files, userCode);
  const std::string source = sourceOf(headers, includes);
  const auto precompileNow = [&](StringRef sourceFile, HeaderRecord &record) {
    onMaking(nameOf(includes.framework.front(), headers));
    PrecompileAction action(record);
    return precompile(*maker, files, action, sourceFile);
  };
  // Guards come in more forms than the compiler knows.
  const auto findUnguarded = [&](StringRef target, HeaderRecord &record) {
    std::vector<std::string> &unguarded = record.facts["unguarded"];
    llvm::erase_if(unguarded, [&](const std::string &path) {
      const auto file = files.getOptionalFileRef(path);
      return !file || !userCode.isFrameworkFile(*file, files);
    });
    unguarded = findRepeating(*maker, files, unguarded, target);
  };
  HeaderEntry *entry = make(keyOf(*maker, source), source, {precompileNow, findUnguarded});
  if (!entry || !entry->usable() || llvm::any_of(includes.framework, [&](StringRef path) {
        return entry->has("unguarded", path);
      }))
    return {};
  std::vector<std::string> folders = usersFolders(invocation, files, userCode);
  if (entry->isShadowedBy(folders))
    return {};
  return {entry->file(), entry->stamp(), std::move(folders)};
}

bool HeaderCache::commutes(const Header &header, const Foreword &foreword) {
  const auto entry = entries.find(path::stem(header.file));
  return !foreword.seesHeader && entry != entries.end() && entry->second &&
         llvm::none_of(foreword.macros,
                       [&](StringRef name) { return entry->second->has("word", name); });
}

bool HeaderCache::holds(StringRef stamp, const std::vector<std::string> &folders) {
  HeaderEntry *entry = known(stamp.split(' ').first.str());
  if (!entry)
    return false;
  auto place = held.find(stamp);
  if (place == held.end()) {
    if (entry->stamp() != stamp)
      return false;
    place = held.try_emplace(stamp, entry->facts("base")).first;
  }
  const std::vector<std::string> &bases = place->second;
  // What is made behind another header is of the unit, and found where the unit looks.
  return bases.empty() ? !entry->isShadowedBy(folders)
                       : llvm::all_of(bases, [&](StringRef base) { return holds(base, folders); });
}

HeaderEntry *HeaderCache::known(const std::string &key) {
  std::unique_ptr<HeaderEntry> &entry = entries[key];
  if (!entry)
    entry = load(key);
  if (entry)
    return entry.get();
  entries.erase(key); // It may still be made.
  return nullptr;
}

std::unique_ptr<HeaderEntry> HeaderCache::load(const std::string &key) const {
  for (const CacheFolder &place : places)
    if (auto entry = HeaderEntry::load(place, key))
      return entry;
  return nullptr;
}

HeaderEntry *HeaderCache::make(const std::string &key, StringRef source, const Maker &maker) {
  const auto [place, added] = entries.try_emplace(key);
  std::unique_ptr<HeaderEntry> &entry = place->second;
  if (!added)
    return entry.get();
  if (!(entry = load(key)))
    entry = makeNow(key, source, maker);
  for (const CacheFolder &each : places)
    each.touch(each.file(key, "txt"));
  return entry.get();
}

std::unique_ptr<HeaderEntry> HeaderCache::makeNow(const std::string &key, StringRef source,
                                                  const Maker &maker) {
  std::error_code error;
  for (auto place = places.begin(); place != places.end() && !trouble.isHopeless(); ++place) {
    const auto lock = place->lock(key, patience);
    if (!lock && (error = place->temporary().getError())) {
      trouble.tell(place->path(), error.message());
      continue;
    }
    if (!lock || trouble.isHopeless())
      return nullptr;
    // Another process may have made it meanwhile.
    if (auto entry = load(key))
      return entry;
    const std::string sourceFile = place->file(key, "h");
    if ((error = place->writeRaw(sourceFile, source))) {
      trouble.tell(place->path(), error.message());
      continue;
    }
    fs::remove(place->file(key, "txt"));
    HeaderRecord record;
    const Precompiled contents = maker.make(sourceFile, record);
    // It took seconds: where it fits does not matter.
    for (auto kept = place; kept != places.end(); ++kept) {
      if (!(error = keep(*kept, key, source, contents, record, maker))) {
        kept->evict(key);
        return HeaderEntry::load(*kept, key);
      }
      kept->remove(key);
      trouble.tell(kept->path(), error.message());
    }
    trouble.setHopeless(); // Before others get the lock.
  }
  trouble.setHopeless();
  return nullptr;
}

std::error_code HeaderCache::keep(const CacheFolder &place, const std::string &key,
                                  StringRef source, const Precompiled &contents,
                                  HeaderRecord &record, const Maker &maker) {
  std::optional<FileIdentity> identity;
  if (!contents.empty()) {
    const StringRef bytes(contents.data(), contents.size());
    auto made = place.temporary();
    if (!made)
      return made.getError();
    if (const std::error_code error = (*made)->write(bytes))
      return error;
    if (maker.complete)
      maker.complete((*made)->path(), record);
    const std::string header = place.file(key, "pch");
    if (const std::error_code error = (*made)->publish(header))
      return error;
    if (!isKept(place.file(key, "h")))
      if (const std::error_code error = place.writeRaw(place.file(key, "h"), source))
        return error;
    // What this process has just written is what it knows.
    identity = FileIdentity::of(bytes, header, std::chrono::system_clock::time_point::max());
  }
  return place.write(place.file(key, "txt"), HeaderEntry::write(identity, record));
}

void HeaderCache::refuse(const std::string &file) {
  const std::string key = path::stem(file).str();
  for (const CacheFolder &place : places)
    if (!place.write(place.file(key, "txt"), HeaderEntry::write({}, {})))
      break;
  entries.erase(key);
}

void HeaderCache::discard(const std::string &file) {
  const std::string key = path::stem(file).str();
  for (const CacheFolder &place : places)
    place.remove(key);
  entries[key] = nullptr;
}

} // namespace gradtidy
