#include "Lint.h"

#include "Analysis.h"
#include "Changes.h"
#include "Configuration.h"
#include "Evidence.h"
#include "Exclusions.h"
#include "Fixes.h"
#include "HeadCommit.h"
#include "Installation.h"
#include "Notices.h"
#include "OutputFile.h"
#include "OwnWork.h"
#include "Shards.h"
#include "Statistics.h"
#include "UnusedNolint.h"
#include "analyzer/frontend/UserCode.h"
#include "analyzer/model/Model.h"
#include "analyzer/plugin/LevelLog.h"
#include "analyzer/plugin/Plugin.h"
#include "analyzer/report/Fingerprints.h"
#include "analyzer/report/Formats.h"
#include "analyzer/report/Printable.h"
#include "analyzer/report/Text.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/FlagGate.h"
#include "analyzer/source/Jobs.h"
#include "analyzer/source/Paths.h"
#include "checks/Catalogue.h"
#include "clang-tidy/ClangTidy.h"
#include "clang-tidy/GlobList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>
#include <set>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace tooling = clang::tooling;
namespace fs = llvm::sys::fs;

namespace {

ErrorLine error() { return ErrorLine(); }

JobList listJobsOf(const CommandLine &commandLine, llvm::StringRef executable) {
  JobRequest request;
  request.sources = commandLine.sources;
  request.buildPath = commandLine.buildPath;
  request.fixedFlags = commandLine.fixedFlags;
  request.bundledRuntime = commandLine.bundledRuntime;
  request.runtimeInclude = findRuntime(executable);
  request.extraArgs = commandLine.extraArgs;
  request.extraArgsBefore = commandLine.extraArgsBefore;
  return listJobs(request);
}

/// Has the texts of the editor analysed in place of what is saved.
void takeOpenFiles(JobList &list, const CommandLine &commandLine) {
  UnsavedFiles unsaved;
  const auto add = [&](const OpenFile &open) {
    const std::string file = absolutePath(open.file);
    const auto saved = readFileIfPossible(file);
    if (!saved || saved->getBuffer() != open.text)
      unsaved.emplace(file, open.text);
  };
  if (commandLine.openFile)
    add(*commandLine.openFile);
  for (const OpenFile &other : commandLine.otherFiles)
    add(other);
  for (Job &job : list.jobs) {
    UnsavedFiles others = unsaved;
    if (auto own = others.extract(job.file))
      job.text = std::move(own.mapped());
    if (!others.empty())
      job.others = std::make_shared<const UnsavedFiles>(std::move(others));
  }
}

// ---- questions that need no analysis -----------------------------------------------------------

bool asksForConfiguration(const CommandLine &commandLine) {
  return commandLine.listChecks || commandLine.explainConfig || commandLine.dumpConfig ||
         commandLine.verifyConfig;
}

int answerAboutConfiguration(const CommandLine &commandLine,
                             tidy::ClangTidyOptionsProvider &provider,
                             const std::vector<std::string> &errors) {
  // Without a source the configuration of the working directory is meant.
  const std::string file =
      absolutePath(commandLine.sources.empty() ? "dummy" : commandLine.sources.front());
  provider.getRawOptions(file);
  for (const std::string &text : errors)
    error() << text << '\n';
  if (!errors.empty())
    return commandLine.statusOfFailure();
  if (commandLine.verifyConfig) {
    if (llvm::Error wrong = verifyConfiguration(provider, file)) {
      llvm::handleAllErrors(std::move(wrong), [](const llvm::ErrorInfoBase &info) {
        error() << info.message() << '\n';
      });
      return commandLine.statusOfFailure();
    }
    llvm::outs() << "No config errors detected.\n";
    return 0;
  }

  tidy::ClangTidyOptions options = provider.getOptions(file);
  const std::vector<std::string> enabled = tidy::getCheckNames(options, false, false);
  if (enabled.empty()) {
    if (commandLine.allowNoChecks)
      return 0;
    error() << "no checks enabled\n";
    return commandLine.statusOfFailure();
  }
  if (commandLine.listChecks) {
    llvm::outs() << "Enabled checks:";
    for (const std::string &name : enabled)
      llvm::outs() << "\n    " << name;
    llvm::outs() << "\n\n";
  } else if (commandLine.explainConfig) {
    const auto sources = provider.getRawOptions(file);
    for (const std::string &name : enabled)
      for (const auto &[given, source] : llvm::reverse(sources))
        if (given.Checks && tidy::GlobList(*given.Checks).contains(name)) {
          llvm::outs() << "'" << name << "' is enabled in the "
                       << (source == tidy::ClangTidyOptionsProvider::OptionsSourceTypeDefaultBinary
                               ? "gradtidy binary"
                               : printable(source))
                       << ".\n";
          break;
        }
  } else {
    options.CheckOptions = tidy::getCheckOptions(options, false, false);
    tidy::ClangTidyOptions all = tidy::ClangTidyOptions::getDefaults().merge(options, 0);
    tidy::filterCheckOptions(all, enabled);
    llvm::outs() << tidy::configurationAsText(all) << '\n';
  }
  return 0;
}

// ---- findings ----------------------------------------------------------------------------------

/// Adds what FlagGate::refused says of the flags in configuration files for \p file.
void collectIgnoredFlags(tidy::ClangTidyOptionsProvider &provider, const std::string &file,
                         std::set<std::string> &ignored) {
  for (const auto &[options, source] : provider.getRawOptions(file)) {
    FlagGate gate("");
    for (const auto &flags : {options.ExtraArgsBefore, options.ExtraArgs})
      if (flags)
        gate.take(*flags, FlagOrigin::Configuration);
    ignored.insert(gate.refused.begin(), gate.refused.end());
  }
}

/// Names the configuration files of the sources that may hide findings.
void printConfigured(const JobList &list, tidy::ClangTidyOptionsProvider &provider) {
  std::set<std::string> lines;
  llvm::StringSet<> folders; // All sources in one have the same configuration.
  for (const Job &job : list.jobs)
    if (folders.insert(llvm::sys::path::parent_path(job.file)).second)
      if (std::string line = saidByFiles(provider, job.file); !line.empty())
        lines.insert(std::move(line));
  constexpr size_t mostNamed = 10;
  size_t number = 0;
  for (const std::string &line : lines)
    if (++number <= mostNamed)
      StatusLine() << "gradtidy: " << line;
  if (lines.size() > mostNamed)
    StatusLine() << "gradtidy: configured by " << lines.size() - mostNamed << " more files";
}

/// The project that the working directory lies in. What others have written into the results of
/// shards changes nothing outside of it.
std::string projectHere() {
  const std::string folder = folderPath("");
  return realPath(findProjectRoot(folder + "/file", folder));
}

/// What findings are compared with: none of them is in the baseline, and all concern the changes.
struct Comparison {
  std::set<std::string> baseline; ///< Fingerprints.
  std::optional<Changes> changes;
};

llvm::Expected<Comparison> readComparison(const CommandLine &commandLine) {
  Comparison comparison;
  if (!commandLine.baseline.empty()) {
    auto baseline = readFingerprints(commandLine.baseline);
    if (!baseline)
      return baseline.takeError();
    comparison.baseline = std::move(*baseline);
  }
  if (commandLine.diff.empty())
    return comparison;
  const auto readPatch = []() -> llvm::Expected<Changes> {
    auto patch = llvm::MemoryBuffer::getSTDIN();
    if (!patch)
      return llvm::createStringError("cannot read the patch on standard input: " +
                                     patch.getError().message());
    return Changes::ofPatch((*patch)->getBuffer(), projectHere());
  };
  auto changes =
      commandLine.diff == "-" ? readPatch() : Changes::since(commandLine.diff, projectHere());
  if (!changes)
    return changes.takeError();
  comparison.changes = std::move(*changes);
  return comparison;
}

/// What a configuration excludes of \p file.
llvm::Expected<Exclusions> exclusionsFor(const tidy::ClangTidyOptions &options) {
  const auto given = options.CheckOptions.find(excludeOption);
  return Exclusions::parse(given == options.CheckOptions.end() ? llvm::StringRef()
                                                               : given->getValue().Value);
}

/// Whether the configuration of \p file excludes it.
llvm::Expected<bool> isExcluded(const std::string &file, const tidy::ClangTidyOptions &options) {
  llvm::Expected<Exclusions> exclusions = exclusionsFor(options);
  if (!exclusions)
    return exclusions.takeError();
  return exclusions->contain(realPath(file), projectHere());
}

/// How many findings are left out, and why.
struct LeftOut {
  unsigned known = 0, unchanged = 0;
};

/// Leaves out findings that the baseline knows, or that no changed line concerns.
LeftOut leaveOut(const Comparison &comparison, std::vector<tidy::ClangTidyError> &errors) {
  LeftOut leftOut;
  if (comparison.baseline.empty() && !comparison.changes)
    return leftOut;
  Fingerprints fingerprints(projectHere() + "/");
  std::vector<bool> isLeftOut(errors.size());
  for (const ReportedFinding &finding : toReported(errors, levelOf)) {
    if (!finding.level) // What the compiler says is always news.
      continue;
    const bool isKnown = comparison.baseline.contains(fingerprints.of(finding));
    const bool isUnchanged = comparison.changes && !comparison.changes->concern(finding);
    leftOut.known += isKnown;
    leftOut.unchanged += !isKnown && isUnchanged;
    isLeftOut[finding.number] = isKnown || isUnchanged;
  }
  std::vector<tidy::ClangTidyError> news;
  for (size_t i = 0; i < errors.size(); ++i)
    if (!isLeftOut[i])
      news.push_back(std::move(errors[i]));
  errors = std::move(news);
  return leftOut;
}

/// Names files as the user does.
void show(tooling::DiagnosticMessage &message, const ShownPaths &shown) {
  message.FilePath = shown.of(message.FilePath);
  for (tooling::FileByteRange &range : message.Ranges)
    range.FilePath = shown.of(range.FilePath);
}

void show(ReportedFinding &finding, const ShownPaths &shown) {
  finding.file = shown.of(finding.file);
  for (ReportedNote &note : finding.notes)
    note.file = shown.of(note.file);
  for (ReportedEdit &edit : finding.fixes)
    edit.file = shown.of(edit.file);
}

/// The sources as they were analysed, if nobody has changed them since.
SourceText textsOf(const CommandLine &commandLine) {
  SourceText text;
  if (const std::optional<OpenFile> &open = commandLine.openFile)
    text.set(absolutePath(open->file), open->text);
  for (const OpenFile &other : commandLine.otherFiles)
    text.set(absolutePath(other.file), other.text);
  return text;
}

void write(llvm::raw_ostream &out, Format format, llvm::ArrayRef<ReportedFinding> findings,
           const ReportContext &context, const ShownPaths &shown) {
  switch (format) {
  case Format::Json: {
    std::vector<ReportedFinding> asTyped = findings;
    for (ReportedFinding &finding : asTyped)
      show(finding, shown);
    return writeJson(out, asTyped, context.notAnalyzed);
  }
  case Format::Sarif:
    return writeSarif(out, findings, context);
  case Format::Github:
    return writeGithub(out, findings, context.notAnalyzed);
  case Format::Html:
    return writeHtml(out, findings, context);
  case Format::Junit:
    return writeJunit(out, findings, context);
  case Format::Gitlab:
    return writeGitlab(out, findings, context);
  case Format::Checkstyle:
    return writeCheckstyle(out, findings, context);
  case Format::Markdown:
    return writeMarkdown(out, findings, context);
  case Format::Text:
  case Format::ClangTidy:
    llvm_unreachable("no format for machines");
  }
}

/// Writes all reports but text; false if a file could not be written.
bool writeReports(const CommandLine &commandLine, llvm::ArrayRef<ReportedFinding> findings,
                  const ReportContext &context, const ShownPaths &shown) {
  if (!isText(commandLine.format))
    write(llvm::outs(), commandLine.format, findings, context, shown);
  bool written = true;
  for (const Output &output : commandLine.outputs) {
    std::error_code code;
    const auto out = openOutput(output.file, code);
    if (!code) {
      write(*out, output.format, findings, context, shown);
      out->close();
      code = out->error();
      out->clear_error();
    }
    if (code) {
      error() << "cannot write '" << output.file << "': " << code.message() << '\n';
      written = false;
    }
  }
  return written;
}

const char *plural(size_t count) { return count == 1 ? "" : "s"; }

/// "3 findings in 2 files: 1 of level 0, 2 of level 1; --fix repairs 2".
void printSummary(llvm::ArrayRef<ReportedFinding> findings, bool isFixed) {
  std::map<int, unsigned> levels;
  std::set<llvm::StringRef> files;
  unsigned fixable = 0;
  for (const ReportedFinding &finding : findings)
    if (finding.level) {
      ++levels[int(*finding.level)];
      files.insert(finding.file);
      fixable += !finding.fixes.empty();
    }
  unsigned count = 0;
  llvm::SmallVector<std::string> parts;
  for (const auto &[level, number] : levels) {
    count += number;
    parts.push_back(llvm::formatv("{0} of level {1}", number, level));
  }
  if (!count)
    return;
  llvm::errs() << count << " finding" << plural(count) << " in " << files.size() << " file"
               << plural(files.size()) << ": " << llvm::join(parts, ", ");
  if (fixable && !isFixed)
    llvm::errs() << "; --fix repairs " << fixable;
  llvm::errs() << '\n';
}

void printStatistics(const Results &results, const ShownPaths &shown) {
  const tidy::ClangTidyStats &stats = results.stats;
  if (const unsigned count = stats.ErrorsIgnoredNOLINT + stats.ErrorsIgnoredLineFilter +
                             stats.ErrorsIgnoredNonUserCode) {
    llvm::SmallVector<std::string> reasons;
    if (stats.ErrorsIgnoredNonUserCode)
      reasons.push_back(llvm::formatv("{0} in non-user code", stats.ErrorsIgnoredNonUserCode));
    if (stats.ErrorsIgnoredLineFilter)
      reasons.push_back(llvm::formatv("{0} due to line filter", stats.ErrorsIgnoredLineFilter));
    if (stats.ErrorsIgnoredNOLINT)
      reasons.push_back(llvm::formatv("{0} NOLINT", stats.ErrorsIgnoredNOLINT));
    llvm::errs() << "Suppressed " << count << " warning" << plural(count) << " ("
                 << llvm::join(reasons, ", ") << ").\n";
  }
  if (const unsigned count = results.errorsAfterMissingHeader)
    llvm::errs() << "Suppressed " << count << " compiler error" << plural(count)
                 << " that may follow from a missing header.\n";
  if (const unsigned count = results.errorsOutsideUserCode)
    llvm::errs() << "Suppressed " << count << " compiler error" << plural(count)
                 << " outside user code. Use --system-headers to display them.\n";
  for (const std::string &line : noticesOf(results, shown))
    StatusLine() << line;
}

bool exportFixes(const CommandLine &commandLine, const std::string &mainFile,
                 const std::vector<tidy::ClangTidyError> &errors) {
  std::error_code code;
  const auto out = openOutput(commandLine.exportFixes, code);
  if (code) {
    error() << "cannot write '" << commandLine.exportFixes << "': " << code.message() << '\n';
    return false;
  }
  tidy::exportReplacements(mainFile, errors, *out);
  return true;
}

bool writeTrace(const std::string &file, const Run &run) {
  std::error_code code;
  const auto out = openOutput(file, code);
  if (code) {
    error() << "cannot write '" << file << "': " << code.message() << '\n';
    return false;
  }
  *out << joinTraces(run) << '\n';
  return true;
}

/// Adds warnings about comments in the files of the project that were read.
void addUnusedNolint(const Run &run, const tidy::ClangTidyContext &context, SourceText &text,
                     std::vector<tidy::ClangTidyError> &errors) {
  std::set<std::string> files;
  std::vector<SilencedFinding> silenced;
  for (const Outcome &outcome : run.outcomes) {
    const Unit &unit = outcome.result.unit;
    if (unit.outcome != Unit::Outcome::Analysed)
      continue;
    files.insert(outcome.file);
    const std::string root =
        findProjectRoot(outcome.file, llvm::sys::path::parent_path(outcome.file));
    for (const ReadFile &file : unit.files)
      if (liesIn(file.path, root))
        files.insert(file.path);
    llvm::append_range(silenced, unit.silenced);
  }
  const auto isEnabled = [&](llvm::StringRef glob, llvm::StringRef file) {
    const tidy::GlobList enabled(context.getOptionsForFile(file).Checks.value_or("")), asked(glob);
    return llvm::any_of(catalogue(), [&](const CatalogueRow &row) {
      return asked.contains(row.name) && enabled.contains(row.name);
    });
  };
  llvm::append_range(errors, findUnusedNolint(files, silenced, isEnabled, text));
}

/// Prints what came of \p run, makes the fixes, and returns the exit status.
int report(const Run &run, tidy::ClangTidyContext &context, const CommandLine &commandLine,
           const Comparison &comparison, const ShownPaths &shown, llvm::StringRef executable) {
  for (const std::string &text : run.errors)
    error() << text << '\n';
  for (const Outcome &outcome : run.outcomes)
    if (!outcome.loss.empty())
      error() << outcome.loss << '\n';
  const OwnWork own("writing what was found");
  Results results = sumUp(run, commandLine.strict);
  if (!commandLine.evidence.empty()) {
    std::vector<std::string> sources;
    for (const Outcome &outcome : run.outcomes)
      sources.push_back(outcome.file);
    if (llvm::Error wrong = addEvidence(commandLine.evidence, sources, results.errors)) {
      error() << llvm::toString(std::move(wrong)) << '\n';
      return commandLine.statusOfFailure();
    }
  }
  size_t excludedFindings = results.errors.size();
  llvm::erase_if(results.errors, [&](const tidy::ClangTidyError &finding) {
    if (finding.DiagLevel == tidy::ClangTidyError::Error || finding.Message.FilePath.empty())
      return false;
    llvm::Expected<bool> excluded =
        isExcluded(finding.Message.FilePath, context.getOptionsForFile(finding.Message.FilePath));
    if (excluded)
      return *excluded;
    llvm::consumeError(excluded.takeError()); // Said of the sources.
    return false;
  });
  excludedFindings -= results.errors.size();
  SourceText text = textsOf(commandLine);
  if (commandLine.unusedNolint)
    addUnusedNolint(run, context, text, results.errors);
  useLineEndsOfFiles(results.errors, text);
  const LeftOut leftOut = leaveOut(comparison, results.errors);
  // For what configuration files say of the output.
  if (!run.outcomes.empty())
    context.setCurrentFile(run.outcomes.back().file);
  const bool compilerErrors = llvm::any_of(results.errors, [](const tidy::ClangTidyError &finding) {
    return finding.DiagLevel == tidy::ClangTidyError::Error;
  });
  // What configuration files say is not what is done.
  bool isMisconfigured = false;
  for (tidy::ClangTidyError &finding : results.errors)
    if (finding.DiagnosticName == "clang-tidy-config") {
      finding.DiagLevel = tidy::ClangTidyError::Error;
      isMisconfigured = true;
    }
  const auto warningsAsErrors = llvm::count_if(
      results.errors, [](const tidy::ClangTidyError &finding) { return finding.IsWarningAsError; });

  const bool asksForFixes = commandLine.fix || commandLine.fixErrors;
  const bool mayFix = !compilerErrors || commandLine.fixErrors;
  // A shard may have no file at all.
  const bool nothing = results.analysed == 0 && (commandLine.shards == 1 || !run.outcomes.empty());
  std::optional<Fixes> fixes;
  if (asksForFixes && mayFix)
    fixes.emplace(results.errors, results.fixedFiles, text,
                  commandLine.merge ? projectHere() : std::string());
  // Before the fixes: lines and columns are those of the files that were analysed.
  const std::vector<ReportedFinding> findings =
      toReported(results.errors, levelOf, textsOf(commandLine));
  const ReportContext reportContext{projectHere() + "/",
                                    findPages(executable),
                                    !nothing && !results.lost && run.errors.empty(),
                                    llvm::formatv("{0:%Y-%m-%d}", std::chrono::system_clock::now()),
                                    headCommit(projectHere()),
                                    noticesOf(results, shown)};
  const bool reported = writeReports(commandLine, findings, reportContext, shown);
  if (isText(commandLine.format) && !commandLine.showFixes) {
    std::vector<std::optional<Level>> levels;
    if (commandLine.format == Format::Text)
      llvm::transform(results.errors, std::back_inserter(levels), levelOf);
    for (tidy::ClangTidyError &finding : results.errors) {
      show(finding.Message, shown);
      for (tooling::DiagnosticMessage &note : finding.Notes)
        show(note, shown);
    }
    writeText(
        llvm::outs(), results.errors, levels, fixes ? fixes->states() : llvm::ArrayRef<FixState>(),
        context.getOptions().UseColor.value_or(llvm::sys::Process::StandardOutHasColors()), text);
  }
  llvm::outs().flush();
  if (!commandLine.exportFixes.empty() && !results.errors.empty() &&
      !exportFixes(commandLine, run.outcomes.front().file, results.errors))
    return commandLine.statusOfFailure();
  const bool fixed =
      !fixes || (commandLine.showFixes ? fixes->show(llvm::outs(), context, projectHere() + "/")
                                       : fixes->write(context));

  if (!commandLine.quiet) {
    printStatistics(results, shown);
    if (excludedFindings)
      llvm::errs() << "Suppressed " << excludedFindings << " finding" << plural(excludedFindings)
                   << " in excluded files.\n";
    if (const unsigned known = leftOut.known)
      llvm::errs() << "Suppressed " << known << " finding" << plural(known)
                   << " of the baseline.\n";
    if (const unsigned unchanged = leftOut.unchanged)
      llvm::errs() << "Suppressed " << unchanged << " finding" << plural(unchanged)
                   << " that no changed line concerns.\n";
    printSummary(findings, asksForFixes && mayFix && !commandLine.showFixes);
    if (asksForFixes && !mayFix)
      llvm::errs() << "Found compiler errors, but -fix-errors was not specified.\n"
                      "Fixes have NOT been applied.\n\n";
    if (warningsAsErrors)
      llvm::errs() << warningsAsErrors << " warning" << plural(warningsAsErrors)
                   << " treated as error" << plural(warningsAsErrors) << '\n';
    if (compilerErrors && !commandLine.fixErrors)
      llvm::errs() << "Found compiler error(s).\n";
  }
  if (commandLine.stats)
    printTimes(llvm::errs(), run, results);
  if (nothing)
    error() << "nothing was analysed\n";
  if (nothing || isMisconfigured || !reported || !fixed || results.lost || !run.errors.empty())
    return commandLine.statusOfFailure();
  return warningsAsErrors || (compilerErrors && !commandLine.fixErrors) ? 1 : 0;
}

/// Prints the IR of the one source, and on standard error what the compiler says of it.
int printIr(const JobList &list, tidy::ClangTidyContext &context, const CommandLine &commandLine) {
  for (const std::string &text : list.errors)
    error() << text << '\n';
  if (list.jobs.size() > 1)
    error() << "'" << commandLine.sources.front() << "' stands for several sources; name one\n";
  if (list.jobs.size() != 1 || !list.errors.empty())
    return commandLine.statusOfFailure();
  const Job &job = list.jobs.front();
  IrRequest request;
  request.function = commandLine.function;
  request.values = commandLine.values;
  request.whole = commandLine.whole;
  if (const std::string asked = absolutePath(job.askedFor);
      realPath(asked) != realPath(job.file)) // A header.
    request.file = asked;
  const Run run = analyse(list, context, commandLine, &request);
  if (run.signal) {
    error() << "interrupted\n";
    return 128 + run.signal;
  }
  const Outcome &outcome = run.outcomes.front();
  if (!outcome.loss.empty()) {
    error() << outcome.loss << '\n';
    return commandLine.statusOfFailure();
  }
  llvm::outs() << outcome.result.text;
  llvm::outs().flush();
  Results results = sumUp(run, /*strict=*/false);
  if (results.errors.empty())
    return 0;
  SourceText text;
  writeText(llvm::errs(), results.errors, {}, {},
            context.getOptions().UseColor.value_or(llvm::sys::Process::StandardErrHasColors()),
            text);
  return 1;
}

} // namespace

int lint(const CommandLine &commandLine, llvm::StringRef executable) {
  std::optional<OwnWork> own("finding what to analyse");
  JobList list;
  // run-clang-tidy asks for the checks of "-", which is no source.
  const bool asksInGeneral =
      asksForConfiguration(commandLine) && commandLine.sources == std::vector<std::string>{"-"};
  if (!commandLine.sources.empty() && !commandLine.merge && !asksInGeneral)
    list = listJobsOf(commandLine, executable);
  takeOpenFiles(list, commandLine);

  llvm::Expected<std::unique_ptr<tidy::ClangTidyOptionsProvider>> provider =
      makeOptionsProvider(commandLine, list.projectFolder, list.errors);
  if (!provider) {
    error() << llvm::toString(provider.takeError()) << '\n';
    return commandLine.statusOfFailure();
  }
  if (asksForConfiguration(commandLine))
    return answerAboutConfiguration(commandLine, **provider, list.errors);

  if (commandLine.sources.empty()) {
    error() << (commandLine.merge ? "no input files: name the files that --results wrote\n"
                                  : "no input files: name the sources to analyse, as in 'gradtidy "
                                    "src/train.cpp'; --help tells more\n");
    return commandLine.statusOfFailure();
  }
  // A model of the command line that is wrong is wrong for every file.
  if (auto model = loadModels(llvm::join(commandLine.models, ";")); !model) {
    error() << llvm::toString(model.takeError()) << '\n';
    return commandLine.statusOfFailure();
  }
  llvm::Expected<Comparison> comparison = readComparison(commandLine);
  if (!comparison) {
    error() << llvm::toString(comparison.takeError()) << '\n';
    return commandLine.statusOfFailure();
  }
  const size_t asked = list.jobs.size();
  for (auto job = list.jobs.begin(); job != list.jobs.end();) {
    llvm::Expected<bool> excluded = isExcluded(job->file, (*provider)->getOptions(job->file));
    if (!excluded) {
      error() << llvm::toString(excluded.takeError()) << '\n';
      return commandLine.statusOfFailure();
    }
    job = *excluded ? list.jobs.erase(job) : job + 1;
  }
  if (asked && list.jobs.empty() && list.errors.empty()) {
    if (!commandLine.quiet)
      StatusLine() << "gradtidy: all sources are excluded";
    return 0;
  }
  if (const size_t excluded = asked - list.jobs.size(); excluded && !commandLine.quiet)
    StatusLine() << "gradtidy: " << excluded << " source" << plural(excluded) << " excluded";
  for (Job &job : list.jobs)
    job.readsAll = commandLine.unusedNolint;
  // Before the workers start, so that they share what was read.
  for (const Job &job : list.jobs)
    collectIgnoredFlags(**provider, job.file, list.ignoredFlags);
  if (!commandLine.quiet)
    printConfigured(list, **provider);
  if (!list.ignoredFlags.empty())
    StatusLine()
        << "gradtidy: warning: ignored " << llvm::join(list.ignoredFlags, ", ")
        << " of the compilation database or of ExtraArgs: not on the list of what parsing needs";
  if (!list.withFlagsOfOthers.empty() && !commandLine.quiet) {
    const auto &[source, other] = list.withFlagsOfOthers.front();
    const size_t more = list.withFlagsOfOthers.size() - 1;
    StatusLine() << "gradtidy: '" << source << "'"
                 << (more ? " and " + std::to_string(more) + " more source" + plural(more) : "")
                 << " not in the compilation database: analyzed with the flags of '" << other
                 << (more ? "', or of what else is nearest" : "'");
  }
  if (const size_t several = list.withSeveralCommands.size(); several && !commandLine.quiet)
    StatusLine() << "gradtidy: '" << list.shown.of(list.withSeveralCommands.front()) << "'"
                 << (several > 1 ? " and " + std::to_string(several - 1) + " more source" +
                                       plural(several - 1) + " have"
                                 : " has")
                 << " several commands in the compilation database: analyzed with the first";
  if (!list.jobs.empty() &&
      tidy::getCheckNames((*provider)->getOptions(list.jobs.front().file), false, false).empty()) {
    if (commandLine.allowNoChecks)
      return 0;
    error() << "no checks enabled\n";
    return commandLine.statusOfFailure();
  }

  tidy::ClangTidyContext context(std::move(*provider), /*AllowEnablingAnalyzerAlphaCheckers=*/false,
                                 commandLine.moduleHeaders, /*ExperimentalCustomChecks=*/false);
  if (commandLine.merge) {
    llvm::Expected<Run> run = readShards(commandLine.sources);
    list.shown.add("", folderPath(""));
    own.reset();
    if (run)
      return report(*run, context, commandLine, *comparison, list.shown, executable);
    error() << llvm::toString(run.takeError()) << '\n';
    return commandLine.statusOfFailure();
  }
  own.reset();
  if (commandLine.ir)
    return printIr(list, context, commandLine);
  context.setEnableProfiling(commandLine.enableCheckProfile);
  context.setProfileStoragePrefix(commandLine.checkProfiles);
  const Run run = analyse(list, context, commandLine);
  if (run.signal) {
    error() << "interrupted\n";
    return 128 + run.signal;
  }
  if (!commandLine.timeTrace.empty() && !writeTrace(commandLine.timeTrace, run))
    return commandLine.statusOfFailure();
  if (!commandLine.results.empty())
    if (llvm::Error failed = writeShard(commandLine.results, run, commandLine)) {
      error() << llvm::toString(std::move(failed)) << '\n';
      return commandLine.statusOfFailure();
    }
  return report(run, context, commandLine, *comparison, list.shown, executable);
}

} // namespace gradtidy
