#include "CommandLine.h"
#include "Manual.h"
#include "Subcommands.h"
#include "Version.h"

#include "analyzer/frontend/CacheFolder.h"
#include "analyzer/report/Printable.h"
#include "analyzer/source/BoundedFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace cl = llvm::cl;

namespace gradtidy {

namespace {

cl::OptionCategory category("gradtidy options");

template <typename Value> using Option = cl::opt<Value>;

cl::list<std::string> sources(cl::Positional, cl::desc("SOURCE..."), cl::cat(category));

// ---- options of clang-tidy ---------------------------------------------------------------------

Option<std::string> buildPath("p", cl::value_desc("path"), cl::cat(category), cl::desc(R"(
compile_commands.json, or the folder that holds it.
If not given, it is looked for in the parents of
each source and in their build folders.
)"));
cl::list<std::string>
    extraArgs("extra-arg", cl::cat(category),
              cl::desc("Additional argument to append to the compiler command line"));
cl::list<std::string>
    extraArgsBefore("extra-arg-before", cl::cat(category),
                    cl::desc("Additional argument to prepend to the compiler command line"));
cl::list<std::string> removedArgs("removed-arg", cl::cat(category),
                                  cl::desc("Argument to remove from the compiler command line"));
Option<bool> allowNoChecks("allow-no-checks", cl::cat(category),
                           cl::desc("That no check is enabled is no error"));
Option<std::string> checks("checks", cl::cat(category), cl::desc(R"(
Comma-separated list of globs with optional '-'
prefix, which removes checks. Appended to the
value of 'Checks' in a configuration file. A check
that is named exactly, not by a glob, shows its
findings of all levels.
)"));
Option<std::string> warningsAsErrors("warnings-as-errors", cl::cat(category), cl::desc(R"(
Upgrades warnings to errors. Same format as
--checks.
)"));
Option<std::string> headerFilter("header-filter", cl::cat(category), cl::desc(R"(
Regular expression matching the names of the
headers to show findings from. By default all
headers of the user's own code.
)"));
Option<std::string> excludeHeaderFilter("exclude-header-filter", cl::cat(category), cl::desc(R"(
Regular expression matching the names of the
headers not to show findings from.
)"));
Option<bool> systemHeaders("system-headers", cl::cat(category), cl::desc(R"(
Analyse system headers and the framework's headers
too. Slow.
)"));
Option<std::string> lineFilter("line-filter", cl::cat(category), cl::desc(R"(
List of files and line ranges to show findings
from, as a JSON array:
  [{"name":"a.cpp","lines":[[1,3],[5,7]]},
   {"name":"b.h"}]
)"));
Option<bool> fix("fix", cl::cat(category), cl::desc(R"(
Apply suggested fixes. Without --fix-errors none is
applied if any compilation errors were found.
)"));
Option<bool> fixErrors("fix-errors", cl::cat(category), cl::desc(R"(
Apply suggested fixes even if compilation errors
were found.
)"));
Option<bool> fixNotes("fix-notes", cl::cat(category), cl::desc(R"(
The same as --fix: what gradtidy repairs is in the
finding itself, never in a note.
)"));
Option<std::string> formatStyle("format-style", cl::cat(category), cl::desc(R"(
Style for formatting code around applied fixes:
'none' (default), 'file' for .clang-format, a style
of clang-format by name, or '{ <json> }'.
)"));
Option<bool> listChecks("list-checks", cl::cat(category),
                        cl::desc("List all enabled checks and exit"));
Option<bool> explainConfig("explain-config", cl::cat(category), cl::desc(R"(
For each enabled check say where it is enabled.
)"));
Option<std::string> config("config", cl::cat(category), cl::desc(R"(
A configuration in YAML or JSON, which takes the
place of configuration files:
  --config="{Checks: 'ml-*',
             CheckOptions: {ml.Level: 2}}"
)"));
Option<std::string> configFile("config-file", cl::cat(category), cl::value_desc("filename"),
                               cl::desc("Read the configuration from this file"));
Option<bool> dumpConfig("dump-config", cl::cat(category),
                        cl::desc("Print the configuration of the first source and exit"));
Option<bool> verifyConfig("verify-config", cl::cat(category), cl::desc(R"(
Check that the configuration names only checks and
options that exist, and exit.
)"));
Option<std::string> exportFixes("export-fixes", cl::cat(category), cl::value_desc("filename"),
                                cl::desc("YAML file to store suggested fixes in, for "
                                         "clang-apply-replacements"));
Option<bool> enableCheckProfile("enable-check-profile", cl::cat(category), cl::desc(R"(
Print how long the checks took, on standard
error.
)"));
Option<std::string> storeCheckProfile("store-check-profile", cl::cat(category),
                                      cl::value_desc("prefix"), cl::desc(R"(
With --enable-check-profile: write the times of each
source into a JSON file, whose name begins with this.
)"));
Option<bool> moduleHeaders("enable-module-headers-parsing", cl::cat(category), cl::desc(R"(
Parse the headers of C++20 modules as text, too.
Experimental.
)"));
Option<std::string> vfsOverlay("vfsoverlay", cl::cat(category), cl::value_desc("filename"),
                               cl::desc(R"(
Have files stand in for others, as this description
of an overlay (YAML) says: for all that sources
include. Nothing is kept in the cache.
)"));
Option<bool> quiet("quiet", cl::cat(category),
                   cl::desc("Print findings only: no progress, no statistics"));
Option<bool> useColor("use-color", cl::cat(category), cl::desc(R"(
Use colors. If not given, colors are used if the
terminal supports them.
)"));

// ---- options of gradtidy -----------------------------------------------------------------------

struct FormatName {
  Format format;
  llvm::StringLiteral name, description;
};

constexpr FormatName formatNames[] = {
    {Format::Text, "text", "lines of text, with levels"},
    {Format::ClangTidy, "clang-tidy", "exactly as clang-tidy prints them"},
    {Format::Json, "json", "JSON, for programs"},
    {Format::Sarif, "sarif", "SARIF 2.1.0, for code scanning"},
    {Format::Github, "github", "annotations of GitHub Actions"},
    {Format::Gitlab, "gitlab", "code quality report of GitLab"},
    {Format::Junit, "junit", "a failed test for each finding"},
    {Format::Checkstyle, "checkstyle", "Checkstyle's XML"},
    {Format::Markdown, "markdown", "a table, for the summary of a job"},
    {Format::Html, "html", "a page to read, with the code"},
};

/// The rows of formatNames, as the values of an option.
struct FormatValues {
  template <class Parser> void apply(Parser &option) const {
    for (const FormatName &row : formatNames)
      option.getParser().addLiteralOption(row.name, row.format, row.description);
  }
};

Option<Format> format("format", cl::cat(category), cl::desc("Format of the findings:"),
                      cl::init(Format::Text), FormatValues());
cl::list<std::string> outputs("output", cl::cat(category), cl::value_desc("format:file"),
                              cl::desc(R"(
Write the findings into a file, too, in any format
but text; may be repeated.
)"));
Option<unsigned> level("level", cl::cat(category), cl::value_desc("0..2"), cl::desc(R"(
Show findings up to this level. 0: wrong for
certain; 1 (default): very likely wrong or wasteful;
2: advice that depends on the intent. The check
option ml.Level is the same.
)"));
Option<std::string> deviceMemory("device-memory", cl::cat(category), cl::value_desc("size"),
                                 cl::desc(R"(
The memory of the GPU that the program trains on,
24G by default. The check option
ml-batch-size-oom.DeviceMemory is the same.
)"));
cl::list<std::string> exclude("exclude", cl::cat(category), cl::value_desc("glob"), cl::desc(R"(
Leave out sources, and findings in headers, that the
glob matches: their path in the project, the name of
the file, or a folder above it; may be repeated. The
check option ml.Exclude is the same, with globs
between semicolons.
)"));
Option<bool> unusedNolint("unused-nolint", cl::cat(category), cl::desc(R"(
Report NOLINT comments that name checks of gradtidy
and silence nothing.
)"));
Option<bool> strict("strict", cl::cat(category),
                    cl::desc("Findings of level 0 are errors: exit status 1"));
Option<std::string> diff("diff", cl::cat(category), cl::value_desc("revision"), cl::desc(R"(
Show only findings with a step, place or fix in a
line that was changed since this revision of git;
'-' reads a patch from standard input. Behind --fix,
a --diff without "=" prints the fixes as a patch and
changes no file.
)"));
enum class StatusKind : unsigned char { Own, ClangTidy };
Option<StatusKind> exitCode(
    "exit-code", cl::cat(category), cl::desc("Meaning of the exit status:"),
    cl::init(StatusKind::Own),
    cl::values(
        clEnumValN(StatusKind::Own, "gradtidy",
                   "0: nothing that fails, 1: findings that fail,\n2: not all could be done"),
        clEnumValN(StatusKind::ClangTidy, "clang-tidy", "1 for both")));
Option<std::string> baseline("baseline", cl::cat(category), cl::value_desc("filename"), cl::desc(R"(
Show only findings that are not in this file, which
an earlier run with --format=sarif has written.
)"));
Option<std::string> evidence("evidence", cl::cat(category), cl::value_desc("filename"), cl::desc(R"(
What 'gradtidy watch --format=json' wrote: says of
each finding whether the run has seen it, refuted it,
or did not reach it.
)"));
cl::list<std::string> models("model", cl::cat(category), cl::value_desc("filename"), cl::desc(R"(
Model (JSON) of a framework of one's own, or the name
of one that comes with gradtidy: flashlight; may be
repeated. The check option ml.Models is the same.
)"));
Option<bool> bundledRuntime("bundled-runtime", cl::cat(category), cl::desc(R"(
Compile sources without a database against the
tensor runtime that comes with gradtidy.
)"));

Option<std::string> cacheDir("cache-dir", cl::cat(category), cl::value_desc("folder"), cl::desc(R"(
Where precompiled headers are kept from run to run.
$XDG_CACHE_HOME/gradtidy or ~/.cache/gradtidy by
default.
)"));
Option<unsigned> cacheLimit("cache-limit", cl::cat(category), cl::value_desc("MB"), cl::init(4096),
                            cl::desc("Size of the cache beyond which the files that were "
                                     "not used for the longest time go; 4096"));
Option<bool> noCache("no-cache", cl::cat(category), cl::desc("Parse everything, keep nothing"));

Option<unsigned> workers("j", cl::cat(category), cl::Prefix, cl::value_desc("N"), cl::desc(R"(
Analyse N files at once; one a core by default. The
output is the same for every N.
)"));
Option<unsigned> timeout("timeout", cl::cat(category), cl::value_desc("seconds"), cl::init(300),
                         cl::desc(R"(
Give a file up that takes longer; 300 by default, 0
for no limit.
)"));
Option<unsigned> memoryLimit("memory-limit", cl::cat(category), cl::value_desc("MB"),
                             cl::init(8192), cl::desc(R"(
Give a file up that takes more address space; 8192
by default, 0 for no limit.
)"));
Option<std::string> timeTrace("time-trace", cl::cat(category), cl::value_desc("filename"),
                              cl::desc(R"(
Write a trace of all files for chrome://tracing or
Perfetto.
)"));

Option<std::string> shard("shard", cl::cat(category), cl::value_desc("K/N"), cl::desc(R"(
Analyse the K-th of N parts of the files.
)"));
Option<std::string> results("results", cl::cat(category), cl::value_desc("filename"), cl::desc(R"(
Write the results for 'gradtidy merge FILE...', which
prints those of all shards as one run would.
)"));

Option<std::string> backends("backend", cl::cat(category), cl::value_desc("names"),
                             cl::init("cpu,sim"), cl::desc(R"(
What 'gradtidy prove' runs programs on: cpu, sim
(simulated GPUs) and cuda of the bundled runtime,
and libtorch; cpu,sim by default.
)"));
Option<std::string> libtorch("libtorch", cl::cat(category), cl::value_desc("folder"), cl::desc(R"(
LibTorch for 'gradtidy prove --backend=libtorch', and
for 'gradtidy watch' if its headers are not beside the
library that the program loads.
)"));
Option<unsigned> steps("steps", cl::cat(category), cl::value_desc("N"), cl::init(0), cl::desc(R"(
Steps of the optimizer after which 'gradtidy watch'
ends watching; the program goes on.
)"));
Option<bool> values("values", cl::cat(category), cl::desc(R"(
Have 'gradtidy ir' say behind each event what the
engine knows of the values.
)"));
Option<bool> whole("whole", cl::cat(category), cl::desc(R"(
Have 'gradtidy ir' print all that the analysis knows of
the unit: other sources of the program and classes, too.
)"));
Option<std::string> runtime("runtime", cl::cat(category), cl::value_desc("folder"), cl::desc(R"(
The library of the bundled runtime for 'gradtidy
prove', if it is another than that of this build.
)"));
Option<std::string> fixtures("fixtures", cl::cat(category), cl::value_desc("folder"), cl::desc(R"(
Fixtures for 'gradtidy prove'; its own by default.
)"));
Option<std::string> plots("plots", cl::cat(category), cl::value_desc("folder"), cl::desc(R"(
Where 'gradtidy prove' writes NAME.svg for each
check.
)"));

/// The subcommands, as --help lists them.
std::string subcommandHelp() {
  std::string text = "\nSubcommands:\n";
  for (const Subcommand &command : subcommands())
    text += "  gradtidy " + command.name.str() + (command.arguments.empty() ? "" : " ") +
            command.arguments.str() + "\n" + filled(command.text, 6);
  return text + R"(
Sources:
  Files, headers among them, or folders, which stand for all files of their
  database below them. Compiler flags come from compile_commands.json, or follow
  after "--":

    gradtidy train.cpp
    gradtidy -p build src/train.cpp include/model.h
    gradtidy train.cpp -- -std=c++20 -I/opt/libtorch/include

Configuration files:
  A .gradtidy file in the closest parent folder of a source, in the format of
  .clang-tidy. Without one, of a .clang-tidy file those entries of Checks,
  WarningsAsErrors and CheckOptions count that name ml-, and all other keys.

Exit status:
  0, also with warnings; 1 after compiler errors and warnings treated as errors;
  2 if anything that was asked for could not be done. With --exit-code=clang-tidy
  1 instead of 2.
)";
}
const std::string moreHelpText = subcommandHelp();
cl::extrahelp moreHelp(moreHelpText);

template <typename Value> std::optional<Value> given(const Option<Value> &option) {
  return option.getNumOccurrences() ? std::optional<Value>(option) : std::nullopt;
}

bool parseShard(llvm::StringRef text, CommandLine &result) {
  const auto [number, count] = text.split('/');
  return !number.getAsInteger(10, result.shard) && !count.getAsInteger(10, result.shards) &&
         result.shard >= 1 && result.shard <= result.shards;
}

/// Ends the program, whose arguments are wrong.
[[noreturn]] void refuse() { std::exit(exitCode == StatusKind::ClangTidy ? 1 : 2); }

Output parseOutput(llvm::StringRef text) {
  const auto [name, file] = text.split(':');
  const auto *row =
      llvm::find_if(formatNames, [name = name](const FormatName &row) { return row.name == name; });
  if (row == std::end(formatNames) || isText(row->format) || file.empty()) {
    ErrorLine() << "--output is FORMAT:FILE with a format other than text, as in "
                   "sarif:gradtidy.sarif, not '"
                << text << "'\n";
    refuse();
  }
  return {row->format, file.str()};
}

std::string absolute(const std::string &folder) {
  llvm::SmallString<256> path(folder);
  if (!folder.empty())
    (void)llvm::sys::fs::make_absolute(path);
  return std::string(path);
}

void takeProveOptions(CommandLine &result) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(backends).split(names, ',');
  for (const llvm::StringRef name : names) {
    if (name != "cpu" && name != "sim" && name != "cuda" && name != "libtorch") {
      ErrorLine() << "--backend is a list of cpu, sim, cuda and libtorch, not '" << name << "'\n";
      refuse();
    }
    if (!llvm::is_contained(result.backends, name))
      result.backends.push_back(name.str());
  }
  result.libtorch = absolute(libtorch);
  result.runtime = absolute(runtime);
  result.fixtures = absolute(fixtures);
  result.plots = plots;
  if (result.format != Format::Text && result.format != Format::Json) {
    ErrorLine() << "the --format of 'gradtidy prove' is text or json\n";
    refuse();
  }
}

/// What --vfsoverlay names.
Overlay readOverlay(const std::string &file) {
  const auto refuseIt = [&](const llvm::Twine &why) {
    ErrorLine() << "cannot use the overlay '" << file << "': " << why;
    refuse();
  };
  auto read = readFile(file, limits::model);
  if (!read)
    refuseIt(llvm::toString(read.takeError()));
  Overlay overlay{absolute(file), (*read)->getBuffer().str()};
  if (overlay.text.empty() || !overlaid(llvm::vfs::getRealFileSystem(), overlay))
    refuseIt("it describes no file system");
  return overlay;
}

/// `gradtidy ir SOURCE [FUNCTION]`
void takeIrArguments(CommandLine &result) {
  if (result.sources.empty() || result.sources.size() > 2) {
    ErrorLine() << "name one source, and perhaps a function in it: gradtidy ir SOURCE "
                   "[FUNCTION]\n";
    refuse();
  }
  if (result.sources.size() == 2) {
    result.function = result.sources.back();
    result.sources.pop_back();
  }
  result.values = values;
  result.whole = whole;
  result.checks = "-*,ml-*"; // Which of them asks first for the unit does not matter.
}

/// `gradtidy model check FILE...`
void takeModelArguments(CommandLine &result) {
  if (result.sources.size() < 2 || result.sources.front() != "check") {
    ErrorLine() << "name models to check: gradtidy model check FILE... [-- FLAG...]\n";
    refuse();
  }
  result.sources.erase(result.sources.begin());
}

/// Takes "--diff" out of \p arguments where it goes with --fix and names no revision: then it says
/// how fixes are made. Whether it was there.
bool takePatchOption(llvm::SmallVectorImpl<const char *> &arguments) {
  const auto isOption = [](llvm::StringRef argument, llvm::StringRef name) {
    return argument.consume_front("-") && (argument == name || argument == ("-" + name).str());
  };
  const auto isFix = [&](llvm::StringRef argument) {
    return isOption(argument, "fix") || isOption(argument, "fix-errors") ||
           isOption(argument, "fix-notes");
  };
  if (llvm::none_of(arguments, isFix))
    return false;
  const size_t before = arguments.size();
  llvm::erase_if(arguments, [&](llvm::StringRef argument) { return isOption(argument, "diff"); });
  return arguments.size() != before;
}

/// Has --help show the options of this program and no others.
void showOwnOptions() {
  cl::HideUnrelatedOptions(category);
  // LLVM's own option of this name is the one that is parsed.
  cl::Option &stats = *cl::getRegisteredOptions()["stats"];
  stats.setDescription("Say on standard error how much was analysed, and\nwhere the time went: by "
                       "phase and by check.\n");
  stats.addCategory(category);
  stats.setHiddenFlag(cl::NotHidden);
}

/// Ends the program after the help of a subcommand, if \p arguments ask for it; makes the help of
/// the whole program of 'help'.
void helpWithSubcommand(llvm::SmallVectorImpl<const char *> &arguments) {
  const llvm::StringRef command = arguments.size() > 1 ? arguments[1] : "";
  const auto asksForHelp = [](llvm::StringRef argument) {
    return argument == "--help" || argument == "-help" || argument == "-h";
  };
  const Subcommand *asked = nullptr;
  if (command == "help" && arguments.size() > 2) {
    asked = findSubcommand(asksForHelp(arguments[2]) ? "help" : arguments[2]);
    if (!asked) {
      ErrorLine() << "there is no subcommand '" << arguments[2]
                  << "'; 'gradtidy help' lists them\n";
      refuse();
    }
  } else if (command != "help" && llvm::any_of(llvm::drop_begin(arguments), asksForHelp)) {
    asked = findSubcommand(command);
  } else if (command == "help") {
    arguments[1] = "--help";
  }
  if (!asked)
    return;
  printHelp(llvm::outs(), *asked);
  llvm::outs().flush();
  std::exit(0);
}

/// The values of an option that takes one of a list.
template <typename Enumerated> std::vector<llvm::StringRef> valuesOf(Enumerated &option) {
  std::vector<llvm::StringRef> values;
  for (unsigned i = 0; i < option.getParser().getNumOptions(); ++i)
    values.push_back(option.getParser().getOption(i));
  return values;
}

/// Patterns of the shell, and programs that append names of files, hand over what a repository
/// calls its files.
void refuseFilesNamedLikeOptions(llvm::ArrayRef<const char *> arguments) {
  for (const llvm::StringRef word : arguments) {
    const bool isOption = (word.starts_with("-") || word.starts_with("@")) && word.size() > 1;
    llvm::sys::fs::file_status found;
    if (isOption && !llvm::sys::fs::status(word, found, /*Follow=*/false)) {
      ErrorLine() << "'" << word << "' is an option, and there is a file of that name: write './"
                  << word << "' for the file\n";
      refuse();
    }
    if (word == "--")
      return;
  }
}

} // namespace

std::vector<OptionText> shownOptions() {
  std::vector<OptionText> shown;
  for (const auto &[name, option] : cl::getRegisteredOptions()) {
    if (name.empty() || !llvm::is_contained(option->Categories, &category))
      continue;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(option->HelpStr, words);
    const std::string text = llvm::join(words, " ");
    const auto [sentence, rest] = llvm::StringRef(text).split(". ");
    OptionText row;
    row.name = name;
    row.description = sentence.rtrim(".:");
    row.text = text;
    row.valueName = option->ValueStr.empty() ? "value" : option->ValueStr;
    row.takesValue = option->getValueExpectedFlag() == cl::ValueRequired;
    if (option == &format)
      row.values = valuesOf(format);
    else if (option == &exitCode)
      row.values = valuesOf(exitCode);
    shown.push_back(std::move(row));
  }
  llvm::sort(shown, [](const OptionText &a, const OptionText &b) { return a.name < b.name; });
  return shown;
}

CommandLine parseCommandLine(int argc, const char **argv) {
  refuseFilesNamedLikeOptions({argv + 1, argv + std::max(argc, 1)});
  llvm::BumpPtrAllocator storage;
  llvm::SmallVector<const char *> arguments(argv, argv + argc);
  cl::ExpansionContext expansion(storage, cl::TokenizeGNUCommandLine);
  if (llvm::Error error = expansion.expandResponseFiles(arguments)) {
    ErrorLine() << llvm::toString(std::move(error)) << '\n';
    refuse();
  }

  CommandLine result;
  const auto dashes = llvm::find(arguments, llvm::StringRef("--"));
  if (dashes != arguments.end()) {
    result.fixedFlags.emplace(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
  }

  showOwnOptions();
  helpWithSubcommand(arguments);
  const llvm::StringRef command = arguments.size() > 1 ? arguments[1] : "";
  result.merge = command == "merge";
  result.prove = command == "prove";
  result.lsp = command == "lsp";
  result.ir = command == "ir";
  result.checkModels = command == "model";
  result.explain = command == "explain";
  result.watch = command == "watch";
  result.completion = command == "completion";
  result.man = command == "man";
  if (findSubcommand(command))
    arguments.erase(arguments.begin() + 1);

  result.showFixes = takePatchOption(arguments);

  cl::SetVersionPrinter([](llvm::raw_ostream &out) { out << versionText() << '\n'; });
  // An argument may be the name of a file, and that anything.
  std::string wrong;
  llvm::raw_string_ostream said(wrong);
  if (!cl::ParseCommandLineOptions(
          static_cast<int>(arguments.size()), arguments.data(),
          "gradtidy: finds mistakes in the training loops of C++ programs\n", &said)) {
    for (const llvm::StringRef line : llvm::split(llvm::StringRef(wrong).trim(), '\n'))
      StatusLine() << line;
    refuse();
  }
  if (level > 2) {
    ErrorLine() << "--level is 0, 1 or 2, not " << level << '\n';
    refuse();
  }
  if (config.getNumOccurrences() && configFile.getNumOccurrences()) {
    ErrorLine() << "--config and --config-file exclude each other\n";
    refuse();
  }

  result.sources = sources;
  result.buildPath = buildPath;
  result.extraArgs = extraArgs;
  result.extraArgsBefore = extraArgsBefore;
  result.checks = given(checks);
  result.warningsAsErrors = given(warningsAsErrors);
  result.headerFilter = given(headerFilter);
  result.excludeHeaderFilter = given(excludeHeaderFilter);
  result.formatStyle = given(formatStyle);
  result.config = given(config);
  result.configFile = given(configFile);
  result.systemHeaders = given(systemHeaders);
  result.useColor = given(useColor);
  // https://no-color.org: an option says more than the environment.
  if (const char *noColor = std::getenv("NO_COLOR"); noColor && *noColor && !result.useColor)
    result.useColor = false;
  result.level = given(level);
  result.deviceMemory = given(deviceMemory);
  result.enableCheckProfile = enableCheckProfile;
  result.checkProfiles = absolute(storeCheckProfile);
  result.moduleHeaders = moduleHeaders;
  result.lineFilter = lineFilter;
  result.fix = fix || fixNotes;
  result.fixErrors = fixErrors;
  result.exportFixes = exportFixes;
  result.baseline = baseline;
  result.diff = diff;
  result.clangTidyStatus = exitCode == StatusKind::ClangTidy;
  result.allowNoChecks = allowNoChecks;
  result.unusedNolint = unusedNolint;
  result.exclude = exclude;
  result.removedArgs = removedArgs;
  for (const std::string &output : outputs)
    result.outputs.push_back(parseOutput(output));
  result.listChecks = listChecks;
  result.explainConfig = explainConfig;
  result.dumpConfig = dumpConfig;
  result.verifyConfig = verifyConfig;
  result.quiet = quiet;
  result.strict = strict;
  result.bundledRuntime = bundledRuntime;
  result.models = models;
  result.evidence = evidence;
  if (!noCache)
    result.cacheFolder = cacheDir.empty() ? defaultCacheFolder() : std::string(cacheDir);
  if (vfsOverlay.getNumOccurrences()) {
    result.overlay = readOverlay(vfsOverlay);
    result.cacheFolder.clear(); // Which knows files by their paths.
  }
  result.cacheLimit = cacheLimit;
  result.workers = workers;
  result.timeout = timeout;
  result.memoryLimit = memoryLimit;
  if (!shard.empty() && !parseShard(shard, result)) {
    ErrorLine() << "--shard is K/N with K from 1 to N, as in 2/4, not " << shard << '\n';
    refuse();
  }
  result.results = results;
  result.stats = llvm::AreStatisticsEnabled();
  result.timeTrace = timeTrace;
  result.format = format;
  if (result.showFixes && format.getNumOccurrences()) {
    ErrorLine() << "--fix --diff prints a patch in place of findings; leave --format out, and have "
                   "--output=FORMAT:FILE write them\n";
    refuse();
  }
  result.steps = steps;
  if (result.watch)
    result.libtorch = absolute(libtorch);
  if (result.prove)
    takeProveOptions(result);
  if (result.ir)
    takeIrArguments(result);
  if (result.checkModels)
    takeModelArguments(result);
  return result;
}

} // namespace gradtidy
