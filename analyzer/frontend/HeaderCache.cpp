#include "HeaderCache.h"
#include "PhaseTimer.h"

#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <set>

namespace gradtidy {

using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// Changes with the form of the files, and with what is left out of a header.
constexpr StringRef format = "gradtidy header 2 " GRADTIDY_VERSION;

/// Another process makes a header in some seconds; beyond this it is done without.
constexpr std::chrono::minutes patience(2);

/// What could not be made is not tried again for as long.
constexpr std::chrono::hours timeOfFailure(12);

/// Headers of the standard library that programs include beside a framework, which has the others:
/// their order is free.
constexpr StringRef standardHeaders[] = {"chrono", "filesystem", "fstream", "iomanip", "iostream",
                                         "random", "regex",      "sstream", "thread"};

/// Large headers of other libraries that many programs include beside a framework: they are part of
/// the header for units that include them.
constexpr StringRef companions[] = {"opencv2/opencv.hpp"};

int64_t secondsNow() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

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

/// The compiler as it makes the header of a unit: the flags of the unit as far as they matter to
/// headers of others.
std::shared_ptr<clang::CompilerInvocation> makerFor(const clang::CompilerInvocation &unit,
                                                    const clang::FileManager &files,
                                                    const UserCode &userCode) {
  auto maker = std::make_shared<clang::CompilerInvocation>(unit);
  clang::FrontendOptions &frontend = maker->getFrontendOpts();
  frontend.Inputs.clear();
  frontend.ProgramAction = clang::frontend::GeneratePCH;
  frontend.SkipFunctionBodies = true;
  // Content tells whether a header is still the same; a copy of the cache may be used elsewhere.
  frontend.IncludeTimestamps = false;
  maker->getDependencyOutputOpts() = {};
  maker->getPreprocessorOpts().Includes.clear();
  maker->getPreprocessorOpts().clearRemappedFiles(); // The main file: see partnersHere.
  clang::CodeGenOptions &code = maker->getCodeGenOpts();
  code.MainFileName.clear();
  code.DebugCompilationDir.clear();
  code.CoverageCompilationDir.clear();
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

std::string keyOf(const clang::CompilerInvocation &maker, const std::string &source) {
  std::string text = (format + "\n" + clang::getClangFullVersion() + "\n").str();
  for (const std::string &argument : maker.getCC1CommandLine())
    text += argument + "\n";
  text += source;
  const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
  return llvm::utohexstr(hash.high64, true, 16) + llvm::utohexstr(hash.low64, true, 16);
}

// ---- making ------------------------------------------------------------------------------------

/// What is written down beside a header.
struct Record {
  std::vector<std::pair<std::string, FileIdentity>> files;
  std::set<std::string> unguarded; ///< Of the files; another include of one is another reading.
  std::set<std::string> names;     ///< Of includes, as written.
  std::set<std::string> words;     ///< All identifiers.
};

class Recorder : public clang::PPCallbacks {
public:
  explicit Recorder(Record &record) : record(record) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token &, StringRef name, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef, StringRef, StringRef,
                          const clang::Module *, bool, clang::SrcMgr::CharacteristicKind) override {
    record.names.insert(name.str());
  }
  void HasInclude(clang::SourceLocation, StringRef name, bool, clang::OptionalFileEntryRef,
                  clang::SrcMgr::CharacteristicKind) override {
    record.names.insert(name.str());
  }

private:
  Record &record;
};

class MakeAction : public clang::GeneratePCHAction {
public:
  explicit MakeAction(Record &record) : record(record) {}

protected:
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Recorder>(record));
    return GeneratePCHAction::BeginSourceFileAction(compiler);
  }

  void EndSourceFileAction() override {
    clang::Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
    for (const auto &word : preprocessor.getIdentifierTable())
      record.words.insert(word.first().str());
    const clang::SourceManager &sources = preprocessor.getSourceManager();
    for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
      const auto text = file->second->getBufferIfLoaded();
      if (!text || file->first == sources.getFileEntryRefForID(sources.getMainFileID()))
        continue;
      record.files.emplace_back(absolute(file->first), identify(file->first, *text));
      if (!preprocessor.getHeaderSearchInfo().isFileMultipleIncludeGuarded(file->first))
        record.unguarded.insert(absolute(file->first));
    }
    llvm::sort(record.files,
               [](const auto &left, const auto &right) { return left.first < right.first; });
    GeneratePCHAction::EndSourceFileAction();
  }

private:
  std::string absolute(clang::FileEntryRef file) {
    llvm::SmallString<256> path = file.getName();
    getCompilerInstance().getFileManager().makeAbsolutePath(path);
    return std::string(path);
  }
  FileIdentity identify(clang::FileEntryRef file, llvm::MemoryBufferRef text) {
    return FileIdentity::of(text.getBuffer(), absolute(file), begin);
  }

  Record &record;
  const std::chrono::system_clock::time_point begin = std::chrono::system_clock::now();
};

bool makeHeader(const clang::CompilerInvocation &maker, clang::FileManager &files, StringRef source,
                StringRef target, Record &record) {
  const PhaseTimer timer(makingPhase);
  auto own = std::make_shared<clang::CompilerInvocation>(maker);
  own->getFrontendOpts().Inputs.emplace_back(source, own->getFrontendOpts().DashX);
  own->getFrontendOpts().OutputFile = target.str();
  clang::CompilerInstance compiler(std::move(own));
  compiler.setVirtualFileSystem(files.getVirtualFileSystemPtr());
  compiler.setFileManager(llvm::IntrusiveRefCntPtr<clang::FileManager>(&files));
  clang::DiagnosticConsumer counter;
  compiler.createDiagnostics(&counter, /*ShouldOwnClient=*/false);
  compiler.createSourceManager();
  MakeAction action(record);
  return compiler.ExecuteAction(action) && counter.getNumErrors() == 0;
}

} // namespace

// ---- entries -----------------------------------------------------------------------------------

/// A header and the record beside it, KEY.pch and KEY.txt:
///
///     FORMAT
///     made SIZE TIME CONTENT            or: failed SECONDS
///     file SIZE TIME CONTENT PATH       …
///     include NAME                      …
///     unguarded PATH                    …
///     word NAME                         …
class HeaderCache::Entry {
public:
  /// Null if there is no entry, or one that does not hold any more.
  static std::unique_ptr<Entry> load(const CacheFolder &folder, const std::string &key) {
    auto text = llvm::MemoryBuffer::getFile(folder.file(key, "txt"));
    // Clang looks at the source of a header, too.
    if (!text || !fs::exists(folder.file(key, "h")) ||
        !(*text)->getBuffer().starts_with((format + "\n").str()) ||
        !(*text)->getBuffer().ends_with("\nend\n"))
      return nullptr;
    std::unique_ptr<Entry> entry(new Entry(std::move(*text), folder.file(key, "pch")));
    return entry->read() ? std::move(entry) : nullptr;
  }

  static std::string write(const std::string &header, const Record &record) {
    std::string text;
    llvm::raw_string_ostream out(text);
    const auto identity = [&](const FileIdentity &file) {
      out << file.size << ' ' << file.time << ' ' << file.content;
    };
    out << format << '\n';
    if (const auto made = llvm::MemoryBuffer::getFile(header, false, false);
        !header.empty() && made) {
      out << "made ";
      identity(FileIdentity::of((*made)->getBuffer(), header,
                                std::chrono::system_clock::time_point::max()));
      out << '\n';
    } else {
      out << "failed " << secondsNow() << '\n';
    }
    for (const auto &[path, file] : record.files) {
      out << "file ";
      identity(file);
      out << ' ' << path << '\n';
    }
    for (const auto &[kind, names] : {std::pair("include", &record.names),
                                      {"unguarded", &record.unguarded},
                                      {"word", &record.words}})
      for (const std::string &name : *names)
        out << kind << ' ' << name << '\n';
    out << "end\n";
    return text;
  }

  bool usable() const { return made; }
  const std::string &file() const { return header; }

  /// The key and what the header was made of, whenever that was.
  std::string stamp() const {
    const StringRef contents = text->getBuffer().split('\n').second.split('\n').second;
    return path::stem(header).str() + " " + llvm::utohexstr(llvm::xxh3_64bits(contents));
  }

  /// Whether a line of this kind names \p name.
  bool has(StringRef kind, StringRef name) const {
    return text->getBuffer().contains(("\n" + kind + " " + name + "\n").str());
  }

  /// Whether a header included here is also found in \p folder.
  bool isShadowedBy(const std::string &folder) {
    const auto [known, added] = shadows.try_emplace(folder, false);
    if (added)
      for (const auto &[first, names] : includes)
        if (fs::exists(folder + "/" + first) && llvm::any_of(names, [&](StringRef name) {
              return fs::is_regular_file(folder + "/" + name);
            }))
          known->second = true;
    return known->second;
  }

private:
  Entry(std::unique_ptr<llvm::MemoryBuffer> text, std::string header)
      : text(std::move(text)), header(std::move(header)) {}

  bool read() {
    StringRef rest = text->getBuffer().split('\n').second;
    StringRef first, line;
    std::tie(first, rest) = rest.split('\n');
    FileIdentity identity;
    int64_t since = 0;
    if (first.consume_front("made ")) {
      made = readIdentity(first, identity) && identity.holdsFor(header);
      if (!made)
        return false;
    } else if (!first.consume_front("failed ") || first.getAsInteger(10, since) ||
               secondsNow() - since > std::chrono::seconds(timeOfFailure).count()) {
      return false;
    }
    for (;;) {
      std::tie(line, rest) = rest.split('\n');
      if (line.consume_front("file ")) {
        if (!readIdentity(line, identity) || !identity.holdsFor(line.str()))
          return false;
      } else if (line.consume_front("include ")) {
        includes[line.split('/').first].push_back(line);
      } else {
        return true;
      }
    }
  }

  /// Takes an identity and the space behind it away from \p line.
  static bool readIdentity(StringRef &line, FileIdentity &identity) {
    bool wrong = false;
    const auto number = [&](auto &value) {
      wrong |= line.consumeInteger(10, value);
      line.consume_front(" ");
    };
    number(identity.size);
    number(identity.time);
    number(identity.content);
    return !wrong;
  }

  std::unique_ptr<llvm::MemoryBuffer> text;
  std::string header;
  bool made = false;
  llvm::StringMap<std::vector<StringRef>> includes; ///< By their first part.
  llvm::StringMap<bool> shadows;                    ///< By folder.
};

// ---- the cache ---------------------------------------------------------------------------------

HeaderCache::HeaderCache(CacheFolder folder) : folder(std::move(folder)) {}
HeaderCache::~HeaderCache() = default;

HeaderCache::Header HeaderCache::find(const clang::CompilerInvocation &invocation,
                                      clang::FileManager &files,
                                      const std::vector<std::string> &headers, UserCode &userCode) {
  const clang::LangOptions &language = invocation.getLangOpts();
  if (!invocation.getPreprocessorOpts().ImplicitPCHInclude.empty() || !language.CPlusPlus ||
      language.CUDA || language.ObjC)
    return {};
  const OuterIncludes includes = findOuterIncludes(invocation, files, headers, userCode);
  if (includes.framework.empty())
    return {};
  const auto maker = makerFor(invocation, files, userCode);
  const std::string source = sourceOf(headers, includes);
  Entry *entry = get(keyOf(*maker, source), *maker, source, files);
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
  const std::string key = stamp.split(' ').first.str();
  std::unique_ptr<Entry> &entry = entries[key];
  if (!entry)
    entry = Entry::load(folder, key);
  if (entry && entry->stamp() == stamp)
    return true;
  if (!entry)
    entries.erase(key); // It may still be made.
  return false;
}

HeaderCache::Entry *HeaderCache::get(const std::string &key, const clang::CompilerInvocation &maker,
                                     const std::string &source, clang::FileManager &files) {
  const auto [place, added] = entries.try_emplace(key);
  std::unique_ptr<Entry> &entry = place->second;
  if (!added)
    return entry.get();
  const std::string record = folder.file(key, "txt");
  if (!(entry = Entry::load(folder, key))) {
    const auto lock = folder.lock(key, patience);
    if (!lock)
      return nullptr;
    // Another process may have made it meanwhile.
    if (!(entry = Entry::load(folder, key))) {
      const std::string header = folder.file(key, "pch"), temporary = folder.temporaryFile();
      Record made;
      if (temporary.empty() || !folder.write(folder.file(key, "h"), source))
        return nullptr;
      fs::remove(record);
      const bool done = makeHeader(maker, files, folder.file(key, "h"), temporary, made);
      if (!done)
        fs::remove(temporary);
      if (folder.write(record,
                       Entry::write(done && folder.publish(temporary, header) ? header : "", made)))
        entry = Entry::load(folder, key);
      folder.evict(key);
    }
  }
  folder.touch(record);
  return entry.get();
}

void HeaderCache::discard(const std::string &file) {
  const std::string key = path::stem(file).str();
  folder.remove(key);
  entries[key] = nullptr;
}

} // namespace gradtidy
