#include "Watch.h"

#include "BuildCache.h"
#include "Installation.h"
#include "OwnWork.h"
#include "analyzer/frontend/CacheFolder.h"
#include "analyzer/frontend/UserCode.h"
#include "analyzer/prove/Plot.h"
#include "analyzer/report/Printable.h"
#include "analyzer/report/Text.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/Paths.h"
#include "analyzer/watch/Library.h"
#include "analyzer/watch/Trace.h"
#include "checks/Catalogue.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

namespace gradtidy {

namespace fs = llvm::sys::fs;
namespace tidy = clang::tidy;
namespace tooling = clang::tooling;
using Json = nlohmann::ordered_json;

namespace {

std::string findProgram(const std::string &name) {
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  throw std::runtime_error("there is no program '" + name + "'");
}

/// Runs \p arguments as the shell would, with its input and output; returns what waitpid() says.
int runWatched(const std::string &program, const std::vector<std::string> &arguments,
               const std::string &library, const std::string &record, unsigned steps) {
  std::vector<char *> words;
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error("cannot start a process");
  if (child == 0) {
    const char *before = std::getenv("LD_PRELOAD");
    const std::string preloaded = library + (before && *before ? ":" + std::string(before) : "");
    setenv("LD_PRELOAD", preloaded.c_str(), 1);
    setenv("GRADTIDY_WATCH", record.c_str(), 1);
    if (steps)
      setenv("GRADTIDY_WATCH_STEPS", std::to_string(steps).c_str(), 1);
    execv(program.c_str(), words.data());
    dprintf(STDERR_FILENO, "gradtidy: error: cannot start the program: %s\n", std::strerror(errno));
    _exit(127);
  }
  // What the terminal interrupts is the program; what it has shown is printed all the same.
  auto *const interrupt = std::signal(SIGINT, SIG_IGN);
  auto *const quit = std::signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, interrupt);
  std::signal(SIGQUIT, quit);
  return status;
}

bool isEnabled(const std::optional<std::string> &checks, llvm::StringRef check) {
  bool enabled = true;
  llvm::SmallVector<llvm::StringRef> globs;
  if (checks)
    llvm::StringRef(*checks).split(globs, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef glob : globs) {
    glob = glob.trim();
    const bool removes = glob.consume_front("-");
    if (auto pattern = llvm::GlobPattern::create(glob); pattern && pattern->match(check))
      enabled = !removes;
    else if (!pattern)
      llvm::consumeError(pattern.takeError());
  }
  return enabled;
}

void keepWanted(std::vector<ReportedFinding> &findings, const CommandLine &commandLine) {
  const unsigned level = commandLine.level.value_or(1);
  llvm::erase_if(findings, [&](const ReportedFinding &finding) {
    return static_cast<unsigned>(*finding.level) > level ||
           !isEnabled(commandLine.checks, finding.check);
  });
  for (ReportedFinding &finding : findings)
    if (commandLine.strict && *finding.level == Level::Certain)
      finding.severity = "error";
}

/// \p findings as clang-tidy keeps its own, for the text that a lint run prints.
std::vector<tidy::ClangTidyError> toErrors(const std::vector<ReportedFinding> &findings,
                                           SourceText &text) {
  const auto place = [&](tooling::DiagnosticMessage &message, const std::string &file,
                         unsigned line, unsigned column) {
    const auto content = text.content(file);
    const llvm::StringRef source = text.line(file, line);
    if (line == 0 || !content || !source.data())
      return; // Nothing to show.
    message.FilePath = file;
    message.FileOffset = static_cast<unsigned>(source.data() - content->data()) +
                         std::min(column ? column - 1 : 0, static_cast<unsigned>(source.size()));
  };
  std::vector<tidy::ClangTidyError> errors;
  for (const ReportedFinding &finding : findings) {
    tidy::ClangTidyError error(finding.check, tidy::ClangTidyError::Warning, "",
                               finding.severity == "error");
    error.Message = tooling::DiagnosticMessage(finding.message);
    place(error.Message, finding.file, finding.line, finding.column);
    for (const ReportedNote &note : finding.notes) {
      tooling::DiagnosticMessage step(note.message);
      place(step, note.file, note.line, note.column);
      error.Notes.push_back(std::move(step));
    }
    errors.push_back(std::move(error));
  }
  return errors;
}

Json numberOrNull(const std::optional<double> &number) { return number ? Json(*number) : Json(); }

/// The findings as a lint run writes them, and the run beside them.
void writeRun(llvm::raw_ostream &out, const Trace &trace) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeJson(stream, trace.findings);
  Json document = Json::parse(text);
  Json steps = Json::array(), reached = Json::array();
  for (const WatchedStep &step : trace.steps)
    steps.push_back({{"step", step.step},
                     {"loss", numberOrNull(step.loss)},
                     {"gradientNorm", numberOrNull(step.gradientNorm)},
                     {"milliseconds", numberOrNull(step.milliseconds)},
                     {"bytes", numberOrNull(step.bytes)}});
  for (const WatchedLine &line : trace.reached)
    reached.push_back({{"file", line.file}, {"line", line.line}});
  document["run"] = {{"ended", trace.end.has_value()},
                     {"steps", std::move(steps)},
                     {"reached", std::move(reached)}};
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

/// The page of a lint run, with plots over the steps before its end.
void writePage(llvm::raw_ostream &out, const Trace &trace, const ReportContext &context) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeHtml(stream, trace.findings, context);
  std::string plots;
  const auto add = [&](const char *name, std::optional<double> WatchedStep::*value,
                       bool logarithmic, double unit = 1) {
    // A value that was not looked at in a step is shown as the one before.
    std::vector<double> values;
    for (const WatchedStep &step : trace.steps)
      if (step.*value)
        values.push_back(*(step.*value) / unit);
      else if (!values.empty())
        values.push_back(values.back());
    if (values.size() >= 2)
      plots += svg({name, "step", logarithmic, {}, values, "", /*isAlone=*/true});
  };
  add("loss", &WatchedStep::loss, false);
  add("gradient norm", &WatchedStep::gradientNorm, true);
  add("time from step to step (ms)", &WatchedStep::milliseconds, false);
  add("memory of the process (MiB)", &WatchedStep::bytes, false, 1 << 20);
  const size_t end = text.rfind("</body>");
  text.insert(end == std::string::npos ? text.size() : end,
              "<h2>Steps of the optimizer</h2>\n" + plots);
  out << text;
}

void write(llvm::raw_ostream &out, Format format, const Trace &trace,
           const CommandLine &commandLine, const ReportContext &context) {
  switch (format) {
  case Format::Json:
    return writeRun(out, trace);
  case Format::Sarif:
    return writeSarif(out, trace.findings, context);
  case Format::Github:
    return writeGithub(out, trace.findings);
  case Format::Html:
    return writePage(out, trace, context);
  case Format::Junit:
    return writeJunit(out, trace.findings, context);
  case Format::Gitlab:
    return writeGitlab(out, trace.findings, context);
  case Format::Checkstyle:
    return writeCheckstyle(out, trace.findings, context);
  case Format::Markdown:
    return writeMarkdown(out, trace.findings, context);
  case Format::Text:
  case Format::ClangTidy: {
    SourceText text;
    std::vector<std::optional<Level>> levels;
    if (format == Format::Text)
      for (const ReportedFinding &finding : trace.findings)
        levels.push_back(finding.level);
    return writeText(out, toErrors(trace.findings, text), levels, {},
                     commandLine.useColor.value_or(llvm::sys::Process::StandardOutHasColors()),
                     text);
  }
  }
}

/// A report for --output. Made before the run, which may take long.
struct ReportFile {
  Format format;
  std::string name;
  std::unique_ptr<llvm::raw_fd_ostream> out;
};

std::vector<ReportFile> openReports(const std::vector<Output> &outputs) {
  std::vector<ReportFile> files;
  for (const Output &output : outputs) {
    std::error_code why;
    auto out = std::make_unique<llvm::raw_fd_ostream>(output.file, why, fs::OF_None);
    if (why)
      throw std::runtime_error("cannot write '" + output.file + "': " + why.message());
    files.push_back({output.format, output.file, std::move(out)});
  }
  return files;
}

/// Throws std::runtime_error if what was written into \p file is not there.
void close(ReportFile &file) {
  file.out->close();
  const std::error_code why = file.out->error();
  file.out->clear_error();
  if (why)
    throw std::runtime_error("cannot write '" + file.name + "': " + why.message());
}

int watchOrThrow(const CommandLine &commandLine, llvm::StringRef executable) {
  if (!commandLine.fixedFlags || commandLine.fixedFlags->empty())
    throw std::runtime_error("name the program to watch: gradtidy watch -- ./train ARGUMENTS");
  const std::string program = findProgram(commandLine.fixedFlags->front());
  const TorchLocation torch = locateTorch(program, commandLine.libtorch);

  std::vector<ReportFile> reports = openReports(commandLine.outputs);
  std::optional<ScratchFolder> scratch;
  const CacheFolder cache = openBuildCache(commandLine, "watch", scratch);
  llvm::SmallString<128> record;
  if (fs::createTemporaryFile("gradtidy-watch", "jsonl", record))
    throw std::runtime_error("cannot write a temporary file");
  const llvm::scope_exit remove([&] { fs::remove(record); });
  const std::string library = buildWatchLibrary(torch, findWatchSources(executable), cache);

  const int status =
      runWatched(program, *commandLine.fixedFlags, library, std::string(record), commandLine.steps);
  limitOwnWork(uint64_t(commandLine.memoryLimit) << 20, commandLine.timeout,
               commandLine.statusOfFailure());
  const OwnWork own("reading what the run has shown");
  auto buffer = readFile(record, limits::results);
  if (!buffer)
    throw std::runtime_error("cannot read what the run has shown: " +
                             llvm::toString(buffer.takeError()));
  Trace trace = readTrace((*buffer)->getBuffer(), torch.include);
  keepWanted(trace.findings, commandLine);
  const std::string here = folderPath("");
  const ReportContext context{realPath(findProjectRoot(here + "/file", here)) + "/",
                              findPages(executable), WIFEXITED(status),
                              llvm::formatv("{0:%Y-%m-%d}", std::chrono::system_clock::now())};
  write(llvm::outs(), commandLine.format, trace, commandLine, context);
  llvm::outs().flush();
  for (ReportFile &file : reports) {
    write(*file.out, file.format, trace, commandLine, context);
    close(file);
  }
  if (WIFSIGNALED(status)) {
    StatusLine() << "gradtidy: warning: the program was ended by signal " << WTERMSIG(status);
    return 128 + WTERMSIG(status);
  }
  if (WEXITSTATUS(status))
    return WEXITSTATUS(status);
  const auto isError = [&](const ReportedFinding &finding) {
    return finding.severity == "error" ||
           (commandLine.warningsAsErrors &&
            isEnabled("-*," + *commandLine.warningsAsErrors, finding.check));
  };
  return llvm::any_of(trace.findings, isError) ? 1 : 0;
}

} // namespace

int watch(const CommandLine &commandLine, llvm::StringRef executable) {
  try {
    return watchOrThrow(commandLine, executable);
  } catch (const std::exception &failure) {
    // The compiler's messages keep their lines.
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(failure.what()).rtrim('\n').split(lines, '\n');
    ErrorLine() << lines.front();
    for (const llvm::StringRef line : llvm::drop_begin(lines))
      StatusLine() << line;
    return commandLine.statusOfFailure();
  }
}

} // namespace gradtidy
