#include "Subprocess.h"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace gradtidy {
namespace {

static_assert(sizeof(pid_t) <= sizeof(std::sig_atomic_t));
volatile std::sig_atomic_t underWay = 0; ///< The process, or 0.

/// Keeps all signals waiting: of a process that is started, none may miss that it is there.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
  }
  ~SignalsBlocked() { restore(); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

  void restore() const { ::sigprocmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before = {};
};

/// In the new process, where nothing may be allocated.
[[noreturn]] void become(char *const *arguments, const std::array<std::string, 3> &streams,
                         pid_t parent, const SignalsBlocked &blocked) {
  constexpr int notStarted = 127;
  ::setsid();
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (::getppid() != parent)
    ::_exit(notStarted);
  blocked.restore();
  for (int number = 0; number < 3; ++number) {
    const int opened = ::open(streams[static_cast<size_t>(number)].c_str(),
                              number ? O_WRONLY | O_TRUNC : O_RDONLY);
    if (opened < 0 || ::dup2(opened, number) < 0)
      ::_exit(notStarted);
    if (opened > STDERR_FILENO)
      ::close(opened);
  }
  ::execv(arguments[0], arguments);
  ::_exit(notStarted);
}

} // namespace

int runSubprocess(const std::vector<std::string> &arguments,
                  const std::array<std::string, 3> &streams) {
  std::vector<char *> words;
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  pid_t process = 0;
  {
    const SignalsBlocked blocked;
    const pid_t parent = ::getpid();
    process = ::fork();
    if (process == 0)
      become(words.data(), streams, parent, blocked);
    underWay = process > 0 ? process : 0;
  }
  if (process < 0)
    return -1;
  // It is known to be under way until its number may be another process's.
  siginfo_t ended = {};
  while (::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR)
    ;
  underWay = 0;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void killSubprocess() {
  const auto process = static_cast<pid_t>(underWay);
  // It leads its group from its first moments on.
  if (process > 0 && ::kill(-process, SIGKILL))
    ::kill(process, SIGKILL);
}

} // namespace gradtidy
