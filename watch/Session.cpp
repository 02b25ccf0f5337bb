#include "Session.h"

#include <cstdlib>
#include <string>

#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

namespace gradtidy::watch {

namespace {

std::atomic<Session *> current = nullptr;
Session *opened = nullptr;

/// A forked process would write into the same file, and its locks may never open.
void leaveForkedProcess() { current = nullptr; }

void finish() {
  if (const Watching watching; watching) {
    watching->conclude(/*isEnd=*/true);
    watching->record.end(watching->step);
  }
  current = nullptr;
}

/// LibTorch makes small objects for each operation that somebody listens to. Between these, malloc
/// gives the memory of large tensors back to the system after each operation, and each new tensor
/// faults its pages in again: up to a third of a step. So malloc keeps up to half a gigabyte.
void keepFreedMemory() {
  if (!std::getenv("MALLOC_TRIM_THRESHOLD_"))
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
  if (!std::getenv("MALLOC_MMAP_THRESHOLD_"))
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

/// Processes that the program starts are not watched: they need not use LibTorch.
void leaveEnvironment() {
  const char *preloaded = std::getenv("LD_PRELOAD");
  const std::string all = preloaded ? preloaded : "";
  std::string kept;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find_first_of(": ", begin), all.size());
    const std::string one = all.substr(begin, end - begin);
    if (!one.empty() && one != ownFile())
      kept += (kept.empty() ? "" : ":") + one;
    begin = end + 1;
  }
  if (kept.empty())
    unsetenv("LD_PRELOAD");
  else
    setenv("LD_PRELOAD", kept.c_str(), 1);
  unsetenv("GRADTIDY_WATCH");
  unsetenv("GRADTIDY_WATCH_STEPS");
}

} // namespace

Thread &thread() {
  thread_local Thread state;
  return state;
}

Watching::Watching() {
  Thread &here = thread();
  Session *active = current.load(std::memory_order_acquire);
  if (!active || here.isWatching)
    return;
  here.isWatching = true;
  active->mutex.lock();
  session = active;
}

Watching::~Watching() {
  if (!session)
    return;
  const bool isOver = session->limit && session->step >= session->limit && current.load();
  if (isOver) {
    session->conclude(/*isEnd=*/false);
    session->record.end(session->step);
    current = nullptr;
  }
  session->mutex.unlock();
  thread().isWatching = false;
}

void Session::conclude(bool isEnd) {
  graphs.conclude(*this);
  training.conclude(*this, isEnd);
  operations.conclude(*this);
}

void start() {
  if (opened)
    return;
  const char *path = std::getenv("GRADTIDY_WATCH");
  if (!path)
    return;
  const std::string name = std::string(path) + "/" + std::to_string(getpid()) + ".jsonl";
  std::FILE *file = std::fopen(name.c_str(), "ae");
  const char *steps = std::getenv("GRADTIDY_WATCH_STEPS");
  if (!file)
    return;
  opened = new Session(file, steps ? static_cast<unsigned>(std::strtoul(steps, nullptr, 10)) : 0);
  leaveEnvironment();
  keepFreedMemory();
  pthread_atfork(nullptr, nullptr, leaveForkedProcess);
  std::atexit(finish);
  current = opened;
  watchOperations();
}

namespace {
[[gnu::constructor]] void startWithProgram() { start(); }
} // namespace

} // namespace gradtidy::watch
