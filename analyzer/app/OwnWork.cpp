#include "OwnWork.h"
#include "Subprocess.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define GRADTIDY_RESERVES_MEMORY 1 // The sanitizer's shadow is larger than any limit.
#else
#define GRADTIDY_RESERVES_MEMORY 0
#endif

namespace gradtidy {
namespace {

/// What is said where nothing can be allocated, and in handlers of signals.
std::array<char, 256> tooSlow, outOfMemory;
unsigned secondsForPart = 0;
int statusOfFailure = 2;

[[noreturn]] void endWith(const std::array<char, 256> &text) {
  killSubprocess();
  if (::write(STDERR_FILENO, text.data(), std::strlen(text.data())) < 0)
    ::_exit(statusOfFailure);
  ::_exit(statusOfFailure);
}

[[noreturn]] void endWithoutMemory() { endWith(outOfMemory); }

void setTimer(unsigned seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

} // namespace

void limitMemory(uint64_t bytes) {
  rlimit limit = {};
  if (!bytes || GRADTIDY_RESERVES_MEMORY || ::getrlimit(RLIMIT_AS, &limit))
    return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bytes);
  ::setrlimit(RLIMIT_AS, &limit);
}

void limitOwnWork(uint64_t memory, unsigned seconds, int status) {
  limitMemory(memory);
  secondsForPart = seconds;
  statusOfFailure = status;
  std::snprintf(outOfMemory.data(), outOfMemory.size(),
                "gradtidy: error: out of memory: more than %llu MB are needed (--memory-limit)\n",
                static_cast<unsigned long long>(memory >> 20));
  std::snprintf(tooSlow.data(), tooSlow.size(), "gradtidy: error: too slow\n");
  std::set_new_handler(endWithoutMemory);
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endWithoutMemory(); });
  struct sigaction action = {};
  action.sa_handler = [](int) { endWith(tooSlow); };
  ::sigaction(SIGALRM, &action, nullptr);
  // The limits of a shell: the time of the processor, and the size of files, which an error tells.
  action.sa_handler = [](int) {
    constexpr std::array<char, 256> text = {
        "gradtidy: error: too slow: the limit of CPU time is used up\n"};
    endWith(text);
  };
  ::sigaction(SIGXCPU, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &action, nullptr);
}

void endQuietlyWithoutMemory() {
  const auto end = [] { ::_exit(exitOutOfMemory); };
  std::set_new_handler(end);
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { ::_exit(exitOutOfMemory); });
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGXCPU, &action, nullptr); // Told by the parent, too.
}

OwnWork::OwnWork(const char *part) {
  std::snprintf(tooSlow.data(), tooSlow.size(),
                "gradtidy: error: too slow: %s took more than %u s (--timeout)\n", part,
                secondsForPart);
  setTimer(secondsForPart);
}

OwnWork::~OwnWork() { setTimer(0); }

} // namespace gradtidy
