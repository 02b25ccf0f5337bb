// What the user asks for: clang-tidy's command line and gradtidy's own options.
#pragma once

#include "analyzer/frontend/Overlay.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

enum class Format : unsigned char {
  Text,
  ClangTidy, ///< Text without levels.
  Json,
  Sarif,
  Github,
  Html,
  Junit,
  Gitlab,
  Checkstyle,
  Markdown
};

/// Whether people read it on a terminal.
constexpr bool isText(Format format) {
  return format == Format::Text || format == Format::ClangTidy;
}

/// A report that is written into a file, beside what standard output gets.
struct Output {
  Format format; ///< No text.
  std::string file;
};

/// What an editor has of a file, be it saved or not.
struct OpenFile {
  std::string file; ///< Absolute.
  std::string text;
};

struct CommandLine {
  std::vector<std::string> sources;
  std::string buildPath;                              ///< -p, or empty.
  std::optional<std::vector<std::string>> fixedFlags; ///< What follows "--".
  std::vector<std::string> extraArgs, extraArgsBefore, removedArgs;

  // Absent where not given: then a configuration file decides, or the default.
  std::optional<std::string> checks, warningsAsErrors, headerFilter, excludeHeaderFilter,
      formatStyle, config, configFile;
  std::optional<bool> systemHeaders, useColor;
  std::optional<unsigned> level;           ///< 0, 1 or 2.
  std::optional<std::string> deviceMemory; ///< A number and its unit.
  std::string lineFilter;                  ///< JSON, or empty.
  Overlay overlay;                         ///< --vfsoverlay.

  bool fix = false, fixErrors = false;
  bool showFixes = false;  ///< As a patch; no file is changed.
  std::string exportFixes; ///< A file, or empty.
  std::string baseline;    ///< The same.
  std::string evidence;    ///< The same.
  std::string diff;        ///< A revision, "-" for a patch on standard input, or empty.
  std::vector<Output> outputs;
  bool clangTidyStatus = false; ///< The exit status is clang-tidy's.
  /// The exit status where something that was asked for could not be done.
  int statusOfFailure() const { return clangTidyStatus ? 1 : 2; }
  bool allowNoChecks = false;
  bool unusedNolint = false;        ///< NOLINT comments that silence nothing are reported.
  std::vector<std::string> exclude; ///< Globs of files that are not looked at.

  bool listChecks = false, explainConfig = false, dumpConfig = false, verifyConfig = false;
  bool quiet = false;
  bool enableCheckProfile = false;
  std::string checkProfiles;  ///< The beginning of the names of their files, or empty.
  bool moduleHeaders = false; ///< Those of C++20 modules are parsed as text, too.
  bool strict = false;        ///< Certain findings are errors.
  bool bundledRuntime = false;
  std::string cacheFolder;                        ///< Empty to work without.
  unsigned cacheLimit = 0;                        ///< MB.
  unsigned workers = 0;                           ///< Processes; 0 for one a core.
  unsigned timeout = 0;                           ///< Seconds for a file; 0 for none.
  unsigned memoryLimit = 0;                       ///< MB for a worker; 0 for none.
  unsigned shard = 1, shards = 1;                 ///< This one, from 1, of so many.
  std::string results;                            ///< A file for `merge`, or empty.
  bool merge = false;                             ///< The sources are such files.
  bool prove = false;                             ///< The sources are names of checks.
  bool explain = false;                           ///< The same.
  bool watch = false;                             ///< The program follows "--".
  unsigned steps = 0;                             ///< Of `watch`: 0 for all.
  bool completion = false;                        ///< The source is the name of a shell.
  bool man = false;                               ///< Prints the manual page.
  bool checkModels = false;                       ///< The sources are models.
  bool ir = false;                                ///< Prints the IR of the one source.
  std::string function;                           ///< Of `ir`: what to print; empty for all.
  bool values = false;                            ///< Of `ir`: with what the engine knows.
  bool whole = false;                             ///< Of `ir`: all of the unit.
  bool lsp = false;                               ///< Serves an editor, which names the sources.
  std::vector<std::string> backends;              ///< Of `prove`: cpu, sim, cuda, libtorch.
  std::string libtorch, runtime, fixtures, plots; ///< Of `prove`: folders, or empty.
  bool stats = false;
  std::string timeTrace;           ///< A file, or empty.
  std::vector<std::string> models; ///< Files.
  Format format = Format::Text;
  std::optional<OpenFile> openFile; ///< Of `lsp`: the one source.
  std::vector<OpenFile> otherFiles; ///< Of `lsp`: what else is open and not saved.
  /// Of `lsp`: is told, in any process of the run, what takes long.
  std::function<void(const std::string &)> onDelay;
};

/// An option as help and completion show it.
struct OptionText {
  llvm::StringRef name;
  std::string description; ///< Its first sentence.
  std::string text;        ///< All sentences, in one line.
  llvm::StringRef valueName;
  bool takesValue = false;
  std::vector<llvm::StringRef> values; ///< All that it takes; none where that is no list.
};

/// All options that --help shows, by name.
std::vector<OptionText> shownOptions();

/// Parses \p argv. Exits with 0 after --help and --version, with statusOfFailure() after a message
/// about a wrong option.
CommandLine parseCommandLine(int argc, const char **argv);

} // namespace gradtidy
