#include "LanguageServer.h"

#include "Installation.h"
#include "Lint.h"
#include "analyzer/lsp/MessageStream.h"
#include "analyzer/lsp/Server.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gradtidy {

namespace {

/// Who types goes on typing: a document is analysed once there was nothing new for this long.
constexpr std::chrono::milliseconds quietTime(150);

/// The analysis of one document.
class Child {
public:
  Child(Server::Task task, const CommandLine &commandLine, llvm::StringRef executable)
      : task(std::move(task)) {
    std::array<int, 2> out{}, said{}, delays{};
    if (::pipe(out.data()) || ::pipe(said.data()) || ::pipe(delays.data()))
      return;
    process = ::fork();
    if (process == 0) {
      ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(said[1], STDERR_FILENO);
      for (const int each : {out[0], out[1], said[0], said[1], delays[0]})
        ::close(each);
      CommandLine own = asked(commandLine);
      own.onDelay = [descriptor = delays[1]](const std::string &what) {
        const std::string line = what + "\n";
        (void)!::write(descriptor, line.data(), line.size());
      };
      const int status = lint(own, executable);
      llvm::outs().flush();
      ::_exit(status);
    }
    ::close(out[1]);
    ::close(said[1]);
    ::close(delays[1]);
    pipes = {out[0], said[0], delays[0]};
  }
  ~Child() {
    if (process > 0) {
      ::kill(process, SIGTERM);
      ::waitpid(process, nullptr, 0);
    }
    for (const int each : pipes)
      if (each >= 0)
        ::close(each);
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  static constexpr size_t pipeCount = 3;
  const std::array<int, pipeCount> &descriptors() const { return pipes; }

  /// Takes what the pipe \p number has to say.
  void read(size_t number, Server &server) {
    std::array<char, 1 << 16> bytes;
    const ssize_t count = ::read(pipes[number], bytes.data(), bytes.size());
    if (count > 0) {
      texts[number].append(bytes.data(), static_cast<size_t>(count));
      if (number == 2) {
        const llvm::StringRef said = llvm::StringRef(texts[number]).rtrim();
        server.delay(task, said.substr(said.rfind('\n') + 1)); // The last line.
      }
    } else if (count == 0 || errno != EINTR) {
      ::close(pipes[number]);
      pipes[number] = -1;
    }
  }

  bool isDone() const {
    return llvm::all_of(pipes, [](int pipe) { return pipe < 0; });
  }

  void tell(Server &server) const { server.finish(task, texts[0], texts[1]); }

private:
  CommandLine asked(CommandLine commandLine) const {
    commandLine.sources = {task.file};
    commandLine.format = Format::Json;
    commandLine.quiet = true;
    commandLine.fix = commandLine.fixErrors = false;
    commandLine.outputs.clear();
    commandLine.openFile = OpenFile{task.file, task.text};
    for (const auto &[file, text] : task.unsaved)
      commandLine.otherFiles.push_back({file, text});
    return commandLine;
  }

  Server::Task task;
  pid_t process = -1;
  std::array<int, pipeCount> pipes = {-1, -1, -1}; ///< Findings, errors, what takes long.
  std::array<std::string, pipeCount> texts;
};

class EditorLoop {
public:
  EditorLoop(const CommandLine &commandLine, llvm::StringRef executable)
      : commandLine(commandLine), executable(executable), stream(STDIN_FILENO, STDOUT_FILENO),
        pages(findPages(executable)),
        server([this](const std::string &message) { stream.write(message); },
               [this](llvm::StringRef check) { return pageOf(check); }) {}

  int run() {
    while (!server.exitStatus()) {
      const bool isBusy = child.has_value();
      const int ready = wait(isBusy ? -1 : mayHaveWork ? int(quietTime.count()) : -1);
      if (ready == 0)
        startNext();
      else if (!takeInput())
        return 1; // The client is gone without a word.
      takeFindings();
    }
    return *server.exitStatus();
  }

private:
  /// Waits for something to read; 0 if there was nothing for \p milliseconds.
  int wait(int milliseconds) {
    polled.fill({-1, POLLIN, 0});
    polled[0].fd = STDIN_FILENO;
    if (child)
      for (size_t i = 0; i < Child::pipeCount; ++i)
        polled[i + 1].fd = child->descriptors()[i];
    int ready = 0;
    do
      ready = ::poll(polled.data(), polled.size(), milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready;
  }

  void startNext() {
    std::optional<Server::Task> task = server.next();
    mayHaveWork = task.has_value();
    if (task)
      child.emplace(std::move(*task), commandLine, executable);
  }

  /// False at the end of the input.
  bool takeInput() {
    if (!polled[0].revents)
      return true;
    if (!stream.fill())
      return false;
    while (const std::optional<std::string> message = stream.next())
      server.take(*message);
    mayHaveWork = true;
    return true;
  }

  void takeFindings() {
    if (!child)
      return;
    for (size_t i = 0; i < Child::pipeCount; ++i)
      if (polled[i + 1].fd >= 0 && polled[i + 1].revents)
        child->read(i, server);
    if (!child->isDone())
      return;
    child->tell(server);
    child.reset();
  }

  std::string pageOf(llvm::StringRef check) const {
    const std::string page = pages + "/" + check.str() + ".md";
    return !pages.empty() && llvm::sys::fs::exists(page) ? page : std::string();
  }

  const CommandLine &commandLine;
  const llvm::StringRef executable;
  MessageStream stream;
  const std::string pages;
  Server server;
  std::optional<Child> child;
  bool mayHaveWork = false;
  std::array<pollfd, 1 + Child::pipeCount> polled{};
};

} // namespace

int serveEditor(const CommandLine &commandLine, llvm::StringRef executable) {
  std::signal(SIGPIPE, SIG_IGN); // NOLINT(cert-err33-c): a client that is gone ends the input.
  return EditorLoop(commandLine, executable).run();
}

} // namespace gradtidy
