#include "Configuration.h"

#include "analyzer/plugin/Plugin.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/BoundedText.h"
#include "analyzer/source/Nearest.h"
#include "checks/Catalogue.h"
#include "clang-tidy/ClangTidy.h"
#include "clang-tidy/GlobList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace gradtidy {

namespace tidy = clang::tidy;
using tidy::ClangTidyOptions;
using tidy::ClangTidyOptionsProvider;

namespace {

constexpr llvm::StringLiteral ownFile = ".gradtidy", clangTidyFile = ".clang-tidy";

bool isOwn(llvm::StringRef glob) {
  glob.consume_front("-");
  return glob.starts_with("ml-");
}

std::string ownGlobs(llvm::StringRef globs) {
  std::string own;
  for (llvm::StringRef glob : llvm::split(globs, ','))
    if (glob = glob.trim(); isOwn(glob))
      own += (own.empty() ? "" : ",") + glob.str();
  return own;
}

llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Makes blank the key of the outermost level that `problem` says is unknown, with its value.
bool blankUnknownKey(std::string &text, const llvm::SMDiagnostic &problem) {
  if (!problem.getMessage().starts_with("unknown key") || problem.getColumnNo() != 0)
    return false;
  size_t begin = 0;
  for (int line = 1; line < problem.getLineNo(); ++line)
    begin = text.find('\n', begin) + 1;
  size_t end = text.find('\n', begin);
  while (end != text.npos && end + 1 < text.size() &&
         llvm::StringRef(" \t-\n").contains(text[end + 1]))
    end = text.find('\n', end + 1);
  std::replace_if(
      text.begin() + begin, end == text.npos ? text.end() : text.begin() + end,
      [](char letter) { return letter != '\n'; }, ' ');
  return true;
}

/// How many characters a regular expression may have once what is repeated is written down.
constexpr size_t maxExpanded = 10'000;
/// How many groups may lie within each other.
constexpr size_t maxGroups = 100;
/// How many globs choose checks: each is compared with each check.
constexpr ptrdiff_t maxGlobs = 10'000;

/// Measures a regular expression without compiling it: `((x{1,255}){1,255}){1,255}` takes
/// gigabytes.
class RegexSize {
public:
  /// What is wrong with \p pattern; empty if its size is right.
  std::string judge(llvm::StringRef pattern) {
    while (!pattern.empty()) {
      take(pattern);
      if (groups.size() > maxGroups)
        return "its groups are nested too deeply";
      if (groups.back().before + groups.back().last > maxExpanded)
        return "it is too large";
    }
    return {};
  }

private:
  struct Group {
    size_t before = 0,
           last = 0; ///< The sizes of its parts: of the last, which may be repeated, and others.
  };

  void add(size_t part) { groups.back().before += std::exchange(groups.back().last, part); }

  void take(llvm::StringRef &rest) {
    const char letter = rest.front();
    rest = rest.drop_front();
    if (letter == '(') {
      groups.emplace_back();
    } else if (letter == ')' && groups.size() > 1) {
      const Group inner = groups.pop_back_val();
      add(inner.before + inner.last + 1);
    } else if (letter == '{') {
      unsigned count = 0, most = 1;
      for (rest.consumeInteger(10, count); rest.consume_front(",");)
        rest.consumeInteger(10, most);
      groups.back().last *= std::clamp(std::max(count, most), 1u, 1000u);
    } else if (letter == '[') {
      const size_t end = rest.find(']', rest.starts_with("^") ? 2 : 1);
      rest = rest.drop_front(std::min(rest.size(), end == rest.npos ? end : end + 1));
      add(1);
    } else {
      if (letter == '\\')
        rest = rest.drop_front(!rest.empty());
      add(1);
    }
  }

  llvm::SmallVector<Group> groups = llvm::SmallVector<Group>(1);
};

/// What is wrong with \p options beside their syntax; empty if nothing is.
std::string unreasonable(const ClangTidyOptions &options) {
  for (const auto &[name, pattern] :
       {std::pair("HeaderFilterRegex", options.HeaderFilterRegex),
        std::pair("ExcludeHeaderFilterRegex", options.ExcludeHeaderFilterRegex)})
    if (pattern) {
      std::string why = RegexSize().judge(*pattern);
      if (why.empty())
        llvm::Regex(*pattern).isValid(why);
      if (!why.empty())
        return std::string(name) + " is no regular expression to be used: " + why;
    }
  for (const auto &[name, globs] : {std::pair("Checks", options.Checks),
                                    std::pair("WarningsAsErrors", options.WarningsAsErrors)})
    if (globs && llvm::count_if(*globs, [](char letter) {
                   return letter == ',' || letter == '\n';
                 }) >= maxGlobs)
      return std::string(name) + " has more than " + std::to_string(maxGlobs) + " globs";
  return {};
}

/// `HeaderFilterRegex: ''` stands in files that were made by --dump-config: nobody set a filter.
void dropEmptyFilters(ClangTidyOptions &options) {
  for (std::optional<std::string> *pattern :
       {&options.HeaderFilterRegex, &options.ExcludeHeaderFilterRegex})
    if (*pattern && (*pattern)->empty())
      pattern->reset();
}

/// With `othersKeys`, keys that clang-tidy does not know are no error.
llvm::Expected<ClangTidyOptions> parse(llvm::MemoryBufferRef text, bool othersKeys) {
  std::string kept = text.getBuffer().str();
  if (const std::string why = yamlTooDeep(kept); !why.empty())
    return fail(text.getBufferIdentifier() + ": " + why);
  constexpr int maxUnknown = 100; // Each has the file parsed once more.
  for (int unknown = 0;; ++unknown) {
    std::optional<llvm::SMDiagnostic> problem;
    llvm::ErrorOr<ClangTidyOptions> options = tidy::parseConfigurationWithDiags(
        {kept, text.getBufferIdentifier()}, [&](const llvm::SMDiagnostic &diagnostic) {
          if (!problem)
            problem = diagnostic;
        });
    if (options) {
      dropEmptyFilters(*options);
      if (const std::string why = unreasonable(*options); !why.empty())
        return fail(text.getBufferIdentifier() + ": " + why);
      return *options;
    }
    if (!problem)
      return fail(text.getBufferIdentifier() + ": invalid configuration");
    if (!othersKeys || unknown == maxUnknown || !blankUnknownKey(kept, *problem))
      return fail(problem->getFilename() + ":" + llvm::Twine(problem->getLineNo()) + ":" +
                  llvm::Twine(problem->getColumnNo() + 1) + ": " + problem->getMessage());
  }
}

llvm::Expected<ClangTidyOptions> parseOwnFile(llvm::MemoryBufferRef text) {
  return parse(text, /*othersKeys=*/false);
}

/// One may be for several versions of clang-tidy, each with keys of its own.
llvm::Expected<ClangTidyOptions> parseClangTidyFile(llvm::MemoryBufferRef text) {
  llvm::Expected<ClangTidyOptions> options = parse(text, /*othersKeys=*/true);
  if (options)
    keepOwn(*options);
  return options;
}

/// Reads files with `parse`. A broken one counts as empty: as an error, clang-tidy would read it
/// again for every source.
auto collectErrors(llvm::Expected<ClangTidyOptions> (*parse)(llvm::MemoryBufferRef),
                   std::vector<std::string> &errors) {
  return [parse, &errors](llvm::MemoryBufferRef text) -> llvm::ErrorOr<ClangTidyOptions> {
    llvm::Expected<ClangTidyOptions> options = parse(text);
    if (options) {
      options->UseColor.reset(); // No repository has escapes put into a file or log.
      return std::move(*options);
    }
    errors.push_back(llvm::toString(options.takeError()));
    return ClangTidyOptions();
  };
}

/// Where clang-tidy looks for configuration files. Of a folder that it cannot look at it would
/// print a line of its own.
class SearchedFolders : public llvm::vfs::ProxyFileSystem {
public:
  SearchedFolders(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> base, std::string name,
                  std::function<void(const std::string &)> fail)
      : ProxyFileSystem(std::move(base)), name(std::move(name)), fail(std::move(fail)) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override {
    auto found = ProxyFileSystem::status(path);
    const std::string text = path.str();
    if (found || llvm::sys::path::filename(text) == name)
      return found;
    // A source that is not there, or not on the disk, has such folders, too.
    if (found.getError() != std::errc::no_such_file_or_directory &&
        found.getError() != std::errc::not_a_directory)
      fail("cannot look for configuration files in '" + text + "': " + found.getError().message());
    return llvm::vfs::Status(text, llvm::sys::fs::UniqueID(), llvm::sys::TimePoint<>(), 0, 0, 0,
                             llvm::sys::fs::file_type::directory_file,
                             llvm::sys::fs::perms::all_all);
  }

private:
  const std::string name;
  const std::function<void(const std::string &)> fail;
};

/// The constructors that take handlers leave the file system to be set.
class FilesOfOneName : public tidy::FileOptionsProvider {
public:
  FilesOfOneName(const tidy::ClangTidyGlobalOptions &global, const ClangTidyOptions &defaults,
                 const ClangTidyOptions &overrides, const ConfigFileHandler &handler,
                 std::vector<std::string> &errors)
      : FileOptionsProvider(global, defaults, overrides, ConfigFileHandlers{handler}) {
    const auto fail = [&errors](const std::string &error) {
      // It is tried for every source.
      if (!llvm::is_contained(errors, error))
        errors.push_back(error);
    };
    FS = llvm::makeIntrusiveRefCnt<SearchedFolders>(boundedFileSystem(limits::configuration, fail),
                                                    handler.first, fail);
  }
};

/// A .gradtidy in any parent of a file wins over every .clang-tidy.
class ConfigurationFiles : public ClangTidyOptionsProvider {
public:
  ConfigurationFiles(const tidy::ClangTidyGlobalOptions &global, const ClangTidyOptions &defaults,
                     const ClangTidyOptions &overrides, std::vector<std::string> &errors)
      : own(global, defaults, overrides, {ownFile.str(), collectErrors(parseOwnFile, errors)},
            errors),
        clangTidy(global, defaults, overrides,
                  {clangTidyFile.str(), collectErrors(parseClangTidyFile, errors)}, errors) {}

  const tidy::ClangTidyGlobalOptions &getGlobalOptions() override { return own.getGlobalOptions(); }

  std::vector<OptionsSource> getRawOptions(llvm::StringRef file) override {
    std::vector<OptionsSource> sources = own.getRawOptions(file);
    constexpr size_t withoutFile = 2; // The defaults and the command line.
    return sources.size() > withoutFile ? sources : clangTidy.getRawOptions(file);
  }

private:
  FilesOfOneName own, clangTidy;
};

/// --config and --config-file, which may inherit from the files in the parents.
class GivenConfiguration : public ClangTidyOptionsProvider {
public:
  GivenConfiguration(const tidy::ClangTidyGlobalOptions &global, const ClangTidyOptions &defaults,
                     ClangTidyOptions given, ClangTidyOptions overrides,
                     std::vector<std::string> &errors)
      : files(global, defaults, ClangTidyOptions(), errors), given(std::move(given)),
        overrides(std::move(overrides)), alone(global, defaults) {}

  const tidy::ClangTidyGlobalOptions &getGlobalOptions() override {
    return files.getGlobalOptions();
  }

  std::vector<OptionsSource> getRawOptions(llvm::StringRef file) override {
    ClangTidyOptionsProvider &base = given.InheritParentConfig.value_or(false)
                                         ? static_cast<ClangTidyOptionsProvider &>(files)
                                         : alone;
    std::vector<OptionsSource> sources = base.getRawOptions(file);
    sources.emplace_back(given, OptionsSourceTypeConfigCommandLineOption);
    sources.emplace_back(overrides, OptionsSourceTypeCheckCommandLineOption);
    return sources;
  }

private:
  ConfigurationFiles files;
  ClangTidyOptions given, overrides;
  tidy::DefaultOptionsProvider alone;
};

/// "a, b, c and 2 more".
std::string listed(llvm::ArrayRef<std::string> names) {
  constexpr size_t most = 3;
  const std::string first = llvm::join(names.take_front(most), ", ");
  return names.size() > most ? first + " and " + std::to_string(names.size() - most) + " more"
                             : first;
}

} // namespace

std::string nearest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  const std::optional<llvm::StringRef> found = nearestName(name, candidates);
  return found ? "; did you mean '" + found->str() + "'?" : "; --list-checks lists all";
}

void keepOwn(ClangTidyOptions &options) {
  if (options.Checks)
    options.Checks = ownGlobs(*options.Checks);
  if (options.WarningsAsErrors)
    options.WarningsAsErrors = ownGlobs(*options.WarningsAsErrors);
  ClangTidyOptions::OptionMap own;
  for (const auto &option : options.CheckOptions)
    if (option.getKey().starts_with("ml-") || option.getKey().starts_with("ml."))
      own.insert({option.getKey(), option.getValue()});
  options.CheckOptions = std::move(own);
}

llvm::Error verifyGlobs(llvm::StringRef globs, llvm::StringRef source) {
  std::vector<llvm::StringRef> names;
  for (const CatalogueRow &row : catalogue())
    names.push_back(row.name);
  for (llvm::StringRef glob : llvm::split(globs, ',')) {
    glob = glob.trim();
    if (!isOwn(glob))
      continue;
    glob.consume_front("-");
    const tidy::GlobList list(glob);
    if (llvm::any_of(names, [&](llvm::StringRef name) { return list.contains(name); }))
      continue;
    if (glob.contains('*'))
      return fail(source + ": no check matches '" + glob + "'; --list-checks lists all");
    return fail(source + ": unknown check '" + glob + "'" + nearest(glob, names));
  }
  return llvm::Error::success();
}

llvm::Error verifyConfiguration(ClangTidyOptionsProvider &provider, llvm::StringRef file) {
  const tidy::ChecksAndOptions valid = tidy::getAllChecksAndOptions(false, false);
  llvm::Error errors = llvm::Error::success();
  for (const auto &[options, source] : provider.getRawOptions(file)) {
    for (const std::optional<std::string> &globs : {options.Checks, options.WarningsAsErrors})
      if (globs)
        errors = llvm::joinErrors(std::move(errors), verifyGlobs(*globs, source));
    for (llvm::StringRef option : options.CheckOptions.keys())
      if ((option.starts_with("ml-") || option.starts_with("ml.")) &&
          !valid.Options.contains(option))
        errors = llvm::joinErrors(std::move(errors),
                                  fail(source + ": unknown check option '" + option + "'"));
  }
  return errors;
}

std::string saidByFiles(ClangTidyOptionsProvider &provider, llvm::StringRef file) {
  std::vector<std::string> files, off, options, parts;
  ClangTidyOptions all, ofPerson;
  for (const auto &[given, source] : provider.getRawOptions(file)) {
    all.mergeWith(given, 0);
    if (source == ClangTidyOptionsProvider::OptionsSourceTypeDefaultBinary ||
        source == ClangTidyOptionsProvider::OptionsSourceTypeCheckCommandLineOption ||
        source == ClangTidyOptionsProvider::OptionsSourceTypeConfigCommandLineOption)
      ofPerson.mergeWith(given, 0);
    else
      files.push_back(source);
  }
  if (files.empty())
    return {};
  const tidy::GlobList enabled(all.Checks.value_or("")), asked(ofPerson.Checks.value_or(""));
  for (const CatalogueRow &row : catalogue())
    if (asked.contains(row.name) && !enabled.contains(row.name))
      off.emplace_back(row.name);
  for (const auto &option : all.CheckOptions) {
    const llvm::StringRef name = option.getKey(), value = option.getValue().Value;
    const auto own = ofPerson.CheckOptions.find(name);
    if (own != ofPerson.CheckOptions.end() && own->getValue().Value == value)
      continue;
    // What is excluded is counted.
    if (name == excludeOption)
      continue;
    options.push_back(name == levelOption ? (name + " " + value).str() : name.str());
  }
  llvm::sort(options);
  for (const auto &[name, list] :
       {std::pair("ExtraArgs", all.ExtraArgs), std::pair("ExtraArgsBefore", all.ExtraArgsBefore),
        std::pair("RemovedArgs", all.RemovedArgs)})
    if (list && !list->empty())
      options.emplace_back(name);
  if (!off.empty())
    parts.push_back(std::to_string(off.size()) + (off.size() == 1 ? " check" : " checks") +
                    " off (" + listed(off) + ")");
  if (!options.empty())
    parts.push_back(listed(options));
  if (parts.empty())
    return {};
  return "configured by '" + llvm::join(files, "', '") + "': " + llvm::join(parts, "; ");
}

llvm::Expected<std::unique_ptr<ClangTidyOptionsProvider>>
makeOptionsProvider(const CommandLine &commandLine, const std::string &projectFolder,
                    std::vector<std::string> &errors) {
  tidy::ClangTidyGlobalOptions global;
  if (std::error_code error = tidy::parseLineFilter(commandLine.lineFilter, global))
    return fail("--line-filter: " + error.message());

  ClangTidyOptions defaults = ClangTidyOptions::getDefaults();
  defaults.Checks = "ml-*";
  defaults.HeaderFilterRegex = ".*"; // The checks themselves keep to user code.
  const auto set = [](ClangTidyOptions &options, llvm::StringRef option, const std::string &value) {
    options.CheckOptions[option] = ClangTidyOptions::ClangTidyValue(value);
  };
  set(defaults, projectFolderOption, projectFolder);

  ClangTidyOptions overrides;
  // The static analyzer comes along with clang-tidy's library; it is no part of gradtidy.
  overrides.Checks = commandLine.checks.value_or("");
  *overrides.Checks += (overrides.Checks->empty() ? "" : ",") + std::string("-clang-analyzer-*");
  overrides.WarningsAsErrors = commandLine.warningsAsErrors;
  overrides.HeaderFilterRegex = commandLine.headerFilter;
  overrides.ExcludeHeaderFilterRegex = commandLine.excludeHeaderFilter;
  overrides.SystemHeaders = commandLine.systemHeaders;
  overrides.FormatStyle = commandLine.formatStyle;
  if (!commandLine.removedArgs.empty())
    overrides.RemovedArgs = commandLine.removedArgs;
  overrides.UseColor = commandLine.useColor;
  if (commandLine.level)
    set(overrides, levelOption, std::to_string(*commandLine.level));
  if (commandLine.deviceMemory)
    set(overrides, deviceMemoryOption, *commandLine.deviceMemory);
  if (!commandLine.exclude.empty())
    set(overrides, excludeOption, llvm::join(commandLine.exclude, ";"));
  if (!commandLine.models.empty())
    set(overrides, modelsOption, llvm::join(commandLine.models, ";"));

  for (const auto &[globs, option] :
       {std::pair(commandLine.checks, "--checks"),
        std::pair(commandLine.warningsAsErrors, "--warnings-as-errors")})
    if (globs)
      if (llvm::Error error = verifyGlobs(*globs, option))
        return error;

  if (!commandLine.config && !commandLine.configFile)
    return std::make_unique<ConfigurationFiles>(global, defaults, overrides, errors);

  std::string text, name;
  if (commandLine.configFile) {
    name = *commandLine.configFile;
    auto buffer = readFile(name, limits::configuration);
    if (!buffer)
      return fail("cannot read --config-file '" + name +
                  "': " + llvm::toString(buffer.takeError()));
    text = (*buffer)->getBuffer();
  } else {
    name = "--config";
    text = *commandLine.config;
  }
  const bool isClangTidyFile = llvm::sys::path::filename(name) == clangTidyFile;
  llvm::Expected<ClangTidyOptions> given =
      (isClangTidyFile ? parseClangTidyFile : parseOwnFile)({text, name});
  if (!given)
    return given.takeError();
  return std::make_unique<GivenConfiguration>(global, defaults, std::move(*given),
                                              std::move(overrides), errors);
}

} // namespace gradtidy
