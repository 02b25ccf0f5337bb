#include "Survival.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/thread.h"

#include <atomic>
#include <csignal>
#include <memory>

#include <unistd.h>

namespace gradtidy {

static constexpr size_t handlerStackSize = 256 << 10;

/// Has LLVM's handler of crashes run on the alternate stack of its thread: there may be no room on
/// the thread's own, of which clang can run out.
static void enableRecovery() {
  llvm::CrashRecoveryContext::Enable();
  struct sigaction action;
  if (::sigaction(SIGSEGV, nullptr, &action) == 0 && !(action.sa_flags & SA_ONSTACK)) {
    action.sa_flags |= SA_ONSTACK;
    ::sigaction(SIGSEGV, &action, nullptr);
  }
}

bool survives(std::optional<FunctionPlace> &underWay, bool tellsWhy,
              llvm::function_ref<void()> work) {
  enableRecovery();
  llvm::CrashRecoveryContext guard;
  guard.DumpStackAndCleanupOnFailure = tellsWhy;
  enum Outcome : int { Running, Done, Crashed };
  const auto outcome = std::make_shared<std::atomic<int>>(Running);
  // A thread that crashed never ends, as it may hold a lock of the allocator that its end would
  // wait for.
  llvm::thread worker(std::optional<unsigned>(deepStack), [&guard, &underWay, work, outcome] {
    const auto memory = std::make_unique<char[]>(handlerStackSize);
    const stack_t handlerStack = {
        .ss_sp = memory.get(), .ss_flags = 0, .ss_size = handlerStackSize};
    ::sigaltstack(&handlerStack, nullptr);
    const bool isDone = guard.RunSafely([&] {
      const UnderWay recording(underWay);
      work();
    });
    outcome->store(isDone ? Done : Crashed);
    outcome->notify_one();
    while (!isDone)
      ::pause();
    const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    ::sigaltstack(&none, nullptr);
  });
  outcome->wait(Running);
  if (*outcome == Done)
    worker.join();
  else
    worker.detach();
  return *outcome == Done;
}

} // namespace gradtidy
