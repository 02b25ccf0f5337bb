#include "HeaderCache.h"
#include "Precompile.h"

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

HeaderCache::HeaderCache(CacheFolder folder) : folder(std::move(folder)) {}
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
  HeaderEntry *entry = make(keyOf(*maker, source), source,
                            [&](StringRef sourceFile, StringRef target, HeaderRecord &record) {
                              PrecompileAction action(record);
                              if (!precompile(*maker, files, action, sourceFile, target))
                                return false;
                              // Guards come in more forms than the compiler knows.
                              std::vector<std::string> &unguarded = record.facts["unguarded"];
                              llvm::erase_if(unguarded, [&](const std::string &path) {
                                const auto file = files.getOptionalFileRef(path);
                                return !file || !userCode.isFrameworkFile(*file, files);
                              });
                              unguarded = findRepeating(*maker, files, unguarded, target);
                              return true;
                            });
  if (!entry || !entry->usable() ||
      llvm::any_of(includes.framework,
                   [&](StringRef path) { return entry->has("unguarded", path); }) ||
      llvm::any_of(usersFolders(invocation, files, userCode),
                   [&](const std::string &folder) { return entry->isShadowedBy(folder); }))
    return {};
  return {entry->file(), entry->stamp()};
}

bool HeaderCache::commutes(const Header &header, const Foreword &foreword) {
  const auto entry = entries.find(path::stem(header.file));
  return !foreword.seesHeader && entry != entries.end() && entry->second &&
         llvm::none_of(foreword.macros,
                       [&](StringRef name) { return entry->second->has("word", name); });
}

bool HeaderCache::holds(StringRef stamp) {
  if (held.contains(stamp))
    return true;
  const HeaderEntry *entry = known(stamp.split(' ').first.str());
  if (!entry || entry->stamp() != stamp ||
      !llvm::all_of(entry->facts("base"), [&](StringRef base) { return holds(base); }))
    return false;
  held.insert(stamp);
  return true;
}

HeaderEntry *HeaderCache::known(const std::string &key) {
  std::unique_ptr<HeaderEntry> &entry = entries[key];
  if (!entry)
    entry = HeaderEntry::load(folder, key);
  if (entry)
    return entry.get();
  entries.erase(key); // It may still be made.
  return nullptr;
}

HeaderEntry *HeaderCache::make(const std::string &key, StringRef source, const Maker &maker) {
  const auto [place, added] = entries.try_emplace(key);
  std::unique_ptr<HeaderEntry> &entry = place->second;
  if (!added)
    return entry.get();
  const std::string record = folder.file(key, "txt");
  if (!(entry = HeaderEntry::load(folder, key))) {
    const auto lock = folder.lock(key, patience);
    if (!lock)
      return nullptr;
    // Another process may have made it meanwhile.
    if (!(entry = HeaderEntry::load(folder, key))) {
      const std::string header = folder.file(key, "pch"), temporary = folder.temporaryFile();
      HeaderRecord made;
      if (temporary.empty() || !folder.write(folder.file(key, "h"), source))
        return nullptr;
      fs::remove(record);
      const bool done = maker(folder.file(key, "h"), temporary, made);
      if (!done)
        fs::remove(temporary);
      if (folder.write(record, HeaderEntry::write(
                                   done && folder.publish(temporary, header) ? header : "", made)))
        entry = HeaderEntry::load(folder, key);
      folder.evict(key);
    }
  }
  folder.touch(record);
  return entry.get();
}

void HeaderCache::refuse(const std::string &file) {
  const std::string key = path::stem(file).str();
  folder.write(folder.file(key, "txt"), HeaderEntry::write("", {}));
  entries.erase(key);
}

void HeaderCache::discard(const std::string &file) {
  const std::string key = path::stem(file).str();
  folder.remove(key);
  entries[key] = nullptr;
}

} // namespace gradtidy
