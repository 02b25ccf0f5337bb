// What the user asks for: clang-tidy's command line and gradtidy's own options.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

enum class Format : unsigned char { Text, Json, Sarif, Github, Html };

/// What an editor has of a file, be it saved or not.
struct OpenFile {
  std::string file; ///< Absolute.
  std::string text;
};

struct CommandLine {
  std::vector<std::string> sources;
  std::string buildPath;                              ///< -p, or empty.
  std::optional<std::vector<std::string>> fixedFlags; ///< What follows "--".
  std::vector<std::string> extraArgs, extraArgsBefore;

  // Absent where not given: then a configuration file decides, or the default.
  std::optional<std::string> checks, warningsAsErrors, headerFilter, excludeHeaderFilter,
      formatStyle, config, configFile;
  std::optional<bool> systemHeaders, useColor;
  std::optional<unsigned> level;           ///< 0, 1 or 2.
  std::optional<std::string> deviceMemory; ///< A number and its unit.
  std::string lineFilter;                  ///< JSON, or empty.

  bool fix = false, fixErrors = false;
  std::string exportFixes; ///< A file, or empty.
  std::string baseline;    ///< The same.
  std::string evidence;    ///< The same.

  bool listChecks = false, explainConfig = false, dumpConfig = false, verifyConfig = false;
  bool quiet = false;
  bool enableCheckProfile = false;
  bool strict = false; ///< Certain findings are errors.
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
  std::string output;                             ///< The same: a file, or empty.
  unsigned steps = 0;                             ///< Of `watch`: 0 for all.
  bool lsp = false;                               ///< Serves an editor, which names the sources.
  std::vector<std::string> backends;              ///< Of `prove`: cpu, sim, cuda, libtorch.
  std::string libtorch, runtime, fixtures, plots; ///< Of `prove`: folders, or empty.
  bool stats = false;
  std::string timeTrace;           ///< A file, or empty.
  std::vector<std::string> models; ///< Files.
  Format format = Format::Text;
  std::optional<OpenFile> openFile; ///< Of `lsp`: the one source.
};

/// Parses \p argv. Exits, as clang-tidy does: with 0 after --help and --version, with 1 after a
/// message about a wrong option.
CommandLine parseCommandLine(int argc, const char **argv);

} // namespace gradtidy
