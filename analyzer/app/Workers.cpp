#include "Workers.h"
#include "OwnWork.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace gradtidy {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds pollInterval(100);

volatile std::sig_atomic_t caught = 0;

/// While it lives, SIGINT and SIGTERM are written down instead of ending the process.
class CaughtSignals {
public:
  CaughtSignals() {
    caught = 0;
    struct sigaction action = {};
    action.sa_handler = [](int signal) { caught = signal; };
    for (size_t i = 0; i < signals.size(); ++i)
      ::sigaction(signals[i], &action, &saved[i]);
  }
  ~CaughtSignals() { restore(); }
  CaughtSignals(const CaughtSignals &) = delete;
  CaughtSignals &operator=(const CaughtSignals &) = delete;

  void restore() const {
    for (size_t i = 0; i < signals.size(); ++i)
      ::sigaction(signals[i], &saved[i], nullptr);
  }

private:
  static constexpr std::array signals = {SIGINT, SIGTERM};
  std::array<struct sigaction, 2> saved = {};
};

bool writeAll(int descriptor, const void *data, size_t size) {
  for (const char *next = static_cast<const char *>(data); size > 0;) {
    const ssize_t written = ::send(descriptor, next, size, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    next += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

/// In the worker: answers each item with the length of its result and the result.
[[noreturn]] void serve(int descriptor, const WorkerLimits &limits, const WorkerHooks &hooks) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  limitMemory(limits.memory);
  endQuietlyWithoutMemory();
  uint64_t item = 0;
  while (::recv(descriptor, &item, sizeof item, MSG_WAITALL) == sizeof item) {
    const std::string result = hooks.work(item);
    const uint64_t size = result.size();
    if (!writeAll(descriptor, &size, sizeof size) ||
        !writeAll(descriptor, result.data(), result.size()))
      break;
  }
  ::_exit(0); // What the parent would do at its end is not the worker's business.
}

class Pool {
public:
  Pool(size_t count, const WorkerLimits &limits, const WorkerHooks &hooks)
      : count(count), limits(limits), hooks(hooks),
        workers(std::min<size_t>(limits.processes, count)) {}

  int run() {
    for (Worker &worker : workers)
      give(worker);
    while (ended < count && !caught)
      wait();
    for (Worker &worker : workers)
      if (worker.process > 0)
        end(worker, caught ? SIGTERM : 0);
    return caught;
  }

private:
  struct Worker {
    pid_t process = 0;
    int descriptor = -1;
    std::optional<size_t> item;
    Clock::time_point started;
    std::string received;
  };

  void start(Worker &worker) {
    std::array<int, 2> pair = {};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()))
      return;
    llvm::outs().flush();
    const pid_t process = ::fork();
    if (process == 0) {
      signals.restore();
      ::close(pair[0]);
      // Another worker's end is seen only if nobody else holds its socket open.
      for (const Worker &other : workers)
        if (other.descriptor >= 0)
          ::close(other.descriptor);
      serve(pair[1], limits, hooks);
    }
    ::close(pair[1]);
    if (process < 0) {
      ::close(pair[0]);
      return;
    }
    worker.process = process;
    worker.descriptor = pair[0];
  }

  /// Hands out the next item, if there is one.
  void give(Worker &worker) {
    worker.item.reset();
    worker.received.clear();
    while (next < count) {
      if (!worker.process)
        start(worker);
      worker.item = next++;
      worker.started = Clock::now();
      const uint64_t item = *worker.item;
      if (worker.process && writeAll(worker.descriptor, &item, sizeof item))
        return;
      fail(worker, worker.process ? end(worker, SIGKILL) : Ending::Crashed);
    }
  }

  void fail(Worker &worker, Ending ending) {
    ++ended;
    hooks.done(*worker.item, ending, {});
    worker.item.reset();
  }

  /// Ends the process and says how it did.
  Ending end(Worker &worker, int signal) {
    ::close(worker.descriptor);
    if (signal)
      ::kill(worker.process, signal);
    int status = 0;
    while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR)
      ;
    worker.process = 0;
    worker.descriptor = -1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
      return Ending::OutOfTime;
    const bool outOfMemory = WIFEXITED(status)
                                 ? WEXITSTATUS(status) == exitOutOfMemory
                                 : WTERMSIG(status) == SIGKILL; // By the system, for lack of it.
    return outOfMemory ? Ending::OutOfMemory : Ending::Crashed;
  }

  void wait() {
    std::vector<pollfd> waiting;
    for (const Worker &worker : workers)
      waiting.push_back({worker.item ? worker.descriptor : -1, POLLIN, 0});
    ::poll(waiting.data(), waiting.size(), static_cast<int>(pollInterval.count()));
    if (caught)
      return;
    for (size_t i = 0; i < workers.size(); ++i) {
      Worker &worker = workers[i];
      if (!worker.item)
        continue;
      if (waiting[i].revents)
        receive(worker);
      else if (limits.time.count() && Clock::now() - worker.started > limits.time) {
        end(worker, SIGKILL);
        fail(worker, Ending::OutOfTime);
        give(worker);
      }
    }
  }

  void receive(Worker &worker) {
    std::array<char, 65536> buffer;
    const ssize_t size = ::recv(worker.descriptor, buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR)
      return;
    if (size <= 0) {
      fail(worker, end(worker, 0));
      give(worker);
      return;
    }
    worker.received.append(buffer.data(), static_cast<size_t>(size));
    uint64_t expected = 0;
    if (worker.received.size() < sizeof expected)
      return;
    std::memcpy(&expected, worker.received.data(), sizeof expected);
    if (worker.received.size() < sizeof expected + expected)
      return;
    ++ended;
    if (!hooks.done(*worker.item, Ending::Done, worker.received.substr(sizeof expected)))
      end(worker, SIGKILL);
    give(worker);
  }

  size_t count, next = 0, ended = 0;
  const WorkerLimits &limits;
  const WorkerHooks &hooks;
  std::vector<Worker> workers;
  CaughtSignals signals;
};

} // namespace

int runWorkers(size_t count, const WorkerLimits &limits, const WorkerHooks &hooks) {
  return Pool(count, limits, hooks).run();
}

} // namespace gradtidy
