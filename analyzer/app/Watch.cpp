#include "Watch.h"

#include "BuildCache.h"
#include "Installation.h"
#include "OutputFile.h"
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
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

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

/// A command line: of a program, or of one that starts the program in several processes, as mpirun
/// does.
struct Command {
  std::vector<std::string> arguments;
  std::string starter; ///< The first argument's file.
  std::string program; ///< The file of the program that is to be watched.
  size_t position = 0; ///< Its argument.
};

/// The first argument, or the first one behind it that is a program with LibTorch.
Command commandOf(const std::vector<std::string> &arguments) {
  const std::string starter = findProgram(arguments.front());
  Command command{.arguments = arguments, .starter = starter, .program = starter};
  if (loadsTorch(command.starter))
    return command;
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (!fs::is_regular_file(arguments[i]) || !fs::can_execute(arguments[i]) ||
        !loadsTorch(arguments[i]))
      continue;
    command.program = arguments[i];
    command.position = i;
    break;
  }
  return command;
}

/// Runs \p command as the shell would, with its input and output; returns what waitpid() says.
int runWatched(Command command, const std::string &library, const std::string &records,
               unsigned steps) {
  const char *before = std::getenv("LD_PRELOAD");
  std::vector<std::pair<std::string, std::string>> environment = {
      {"LD_PRELOAD", library + (before && *before ? ":" + std::string(before) : "")},
      {"GRADTIDY_WATCH", records}};
  if (steps)
    environment.emplace_back("GRADTIDY_WATCH_STEPS", std::to_string(steps));
  // Only the program is to have these, and not what starts it.
  if (command.position > 0) {
    std::vector<std::string> words = {findProgram("env")};
    for (const auto &[name, value] : environment)
      words.push_back(name + "=" + value);
    command.arguments.insert(command.arguments.begin() +
                                 static_cast<std::ptrdiff_t>(command.position),
                             words.begin(), words.end());
    environment.clear();
  }
  std::vector<char *> words;
  for (const std::string &argument : command.arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error("cannot start a process");
  if (child == 0) {
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    execv(command.starter.c_str(), words.data());
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

/// What the processes have written so far, in a fixed order.
std::vector<std::string> recordsIn(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error))
    files.push_back(file->path());
  llvm::sort(files);
  return files;
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

/// Says on a terminal, while the program runs, how it goes on and what was seen.
class LiveReport {
public:
  LiveReport(std::string folder, std::string torch, const CommandLine &commandLine)
      : folder(std::move(folder)), torch(std::move(torch)), commandLine(commandLine) {
    if (!commandLine.quiet && llvm::sys::Process::StandardErrIsDisplayed())
      worker = std::thread([this] { report(); });
  }
  ~LiveReport() {
    {
      const std::lock_guard lock(mutex);
      isOver = true;
    }
    ended.notify_one();
    if (worker.joinable())
      worker.join();
  }
  LiveReport(const LiveReport &) = delete;
  LiveReport &operator=(const LiveReport &) = delete;

private:
  void report() {
    // Lines of steps come ever less often.
    auto pause = std::chrono::seconds(1);
    auto next = std::chrono::steady_clock::now() + pause;
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(500), [&] { return isOver; })) {
      std::string findings;
      for (const std::string &file : recordsIn(folder))
        findings += newLinesOf(file);
      if (!findings.empty()) {
        Trace trace = readTrace(llvm::StringRef(findings), torch);
        keepWanted(trace.findings, commandLine);
        for (const ReportedFinding &finding : trace.findings)
          StatusLine() << "gradtidy: " << finding.file << ":" << finding.line << ": "
                       << finding.message << " [" << finding.check << "]";
      }
      const auto now = std::chrono::steady_clock::now();
      if (now < next || last.empty())
        continue;
      StatusLine() << "gradtidy: " << stepLine(last);
      last.clear();
      pause = std::min<std::chrono::seconds>(2 * pause, std::chrono::seconds(60));
      next = now + pause;
    }
  }

  /// The findings that were added to \p file, whole lines alone; its last step becomes last.
  std::string newLinesOf(const std::string &file) {
    size_t &read = offsets[file];
    std::ifstream stream(file, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(read));
    std::string text(std::istreambuf_iterator<char>(stream), {});
    text.resize(text.rfind('\n') + 1); // To nothing if there is none.
    read += text.size();
    std::string findings;
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (const llvm::StringRef line : lines)
      if (line.starts_with("{\"finding\""))
        findings += (line + "\n").str();
      else if (line.starts_with("{\"step\""))
        last = line.str();
    return findings;
  }

  static std::string stepLine(llvm::StringRef line) {
    const Trace trace = readTrace(line, "");
    const WatchedStep step = trace.steps.empty() ? WatchedStep() : trace.steps.back();
    std::string result = "step " + std::to_string(step.step);
    if (step.loss)
      result += llvm::formatv(", loss {0:F4}", *step.loss);
    if (step.milliseconds)
      result += llvm::formatv(", {0:F1} ms from step to step", *step.milliseconds);
    if (step.bytes)
      result += llvm::formatv(", {0:F0} MiB", *step.bytes / (1 << 20));
    return result;
  }

  const std::string folder, torch;
  const CommandLine &commandLine;
  std::map<std::string, size_t> offsets;
  std::string last; ///< The line of the last step, if it was not shown yet.
  std::mutex mutex;
  std::condition_variable ended;
  bool isOver = false;
  std::thread worker;
};

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
    auto out = openOutput(output.file, why);
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
  const Command command = commandOf(*commandLine.fixedFlags);
  const TorchLocation torch = locateTorch(command.program, commandLine.libtorch);

  std::vector<ReportFile> reports = openReports(commandLine.outputs);
  std::optional<ScratchFolder> scratch;
  const CacheFolder cache = openBuildCache(commandLine, "watch", scratch);
  llvm::SmallString<128> records;
  if (fs::createUniqueDirectory("gradtidy-watch", records))
    throw std::runtime_error("cannot make a temporary folder");
  const llvm::scope_exit remove([&] { fs::remove_directories(records); });
  const std::string library = buildWatchLibrary(torch, findWatchSources(executable), cache);

  const int status = [&] {
    const LiveReport live(records.str().str(), torch.include, commandLine);
    return runWatched(command, library, std::string(records), commandLine.steps);
  }();
  limitOwnWork(uint64_t(commandLine.memoryLimit) << 20, commandLine.timeout,
               commandLine.statusOfFailure());
  const OwnWork own("reading what the run has shown");
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> buffers;
  std::vector<llvm::StringRef> texts;
  for (const std::string &file : recordsIn(std::string(records))) {
    auto buffer = readFile(file, limits::results);
    if (!buffer)
      throw std::runtime_error("cannot read what the run has shown: " +
                               llvm::toString(buffer.takeError()));
    texts.push_back((*buffer)->getBuffer());
    buffers.push_back(std::move(*buffer));
  }
  Trace trace = readTrace(texts, torch.include);
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
