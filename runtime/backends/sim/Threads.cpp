#include "Threads.h"

#include <csetjmp>
#include <exception>
#include <memory>
#include <ucontext.h>
#include <utility>
#include <vector>

namespace gradtidy::runtime {
namespace {

constexpr std::size_t stackBytes = std::size_t{64} << 10;

/// Where the host or a fiber goes on.
struct Context {
  ucontext_t start{};
  std::jmp_buf state{};
  bool hasBegun = false; ///< So \c state is set.
};

/// Goes to \p to, until something comes back to \p from. swapcontext() asks the system for the mask of
/// signals each time, which took most of the time of kernels with barriers; sanitizers know it alone.
void change(Context &from, Context &to) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  swapcontext(&from.start, &to.start);
#else
  from.hasBegun = true;
  if (_setjmp(from.state) != 0)
    return;
  if (to.hasBegun)
    _longjmp(to.state, 1);
  setcontext(&to.start);
#endif
}

/// A stack, on which one thread after the other runs.
struct Fiber {
  Context context;
  std::unique_ptr<char[]> stack{new char[stackBytes]};
};

struct Waiting {
  std::size_t thread;
  std::unique_ptr<Fiber> fiber;
};

/// The block that this thread of the host runs. Another one may run one at the same time.
struct Block {
  const std::function<void(std::size_t)> *enter = nullptr;
  const std::function<void()> *thread = nullptr;
  Context scheduler;
  Fiber *running = nullptr; ///< Null where a thread runs on the host's own stack.
  bool hasEnded = false;    ///< The thread whose turn it was.
  std::exception_ptr failure;
};
thread_local Block block;
thread_local std::vector<std::unique_ptr<Fiber>> unused;

void runThread() {
  try {
    (*block.thread)();
  } catch (...) {
    block.failure = std::current_exception();
  }
}

void fiberMain() {
  while (true) {
    runThread();
    block.hasEnded = true;
    change(block.running->context, block.scheduler);
  }
}

/// Whether the thread has ended in this turn of it.
bool resume(std::size_t thread, Fiber &fiber) {
  (*block.enter)(thread);
  block.running = &fiber;
  block.hasEnded = false;
  change(block.scheduler, fiber.context);
  block.running = nullptr;
  return block.hasEnded;
}

std::unique_ptr<Fiber> makeFiber() {
  if (!unused.empty()) {
    std::unique_ptr<Fiber> fiber = std::move(unused.back());
    unused.pop_back();
    return fiber;
  }
  auto fiber = std::make_unique<Fiber>();
  ucontext_t &start = fiber->context.start;
  getcontext(&start);
  start.uc_stack = {fiber->stack.get(), 0, stackBytes};
  start.uc_link = nullptr;
  makecontext(&start, fiberMain, 0);
  return fiber;
}

} // namespace

bool runBlock(std::size_t threads, const std::function<void(std::size_t)> &enter,
              const std::function<void()> &thread, EarlyEnd earlyEnd) {
  block.enter = &enter;
  block.thread = &thread;
  block.failure = nullptr;
  std::vector<Waiting> waiting;
  bool mayWait = true; // As a barrier is for all threads or none, the first one tells.
  for (std::size_t i = 0; i < threads && !block.failure; ++i) {
    if (!mayWait) {
      enter(i);
      runThread();
      continue;
    }
    std::unique_ptr<Fiber> fiber = makeFiber();
    if (resume(i, *fiber))
      unused.push_back(std::move(fiber));
    else
      waiting.push_back({i, std::move(fiber)});
    mayWait = !waiting.empty();
  }
  const bool hasWaited = !waiting.empty();
  while (!waiting.empty() && !block.failure) {
    if (earlyEnd == EarlyEnd::Refused && waiting.size() < threads) {
      block.failure = std::make_exception_ptr(UnevenBarrier());
      break;
    }
    std::vector<Waiting> later;
    for (std::size_t i = waiting.size(); i-- > 0 && !block.failure;) {
      Waiting &next = waiting[i];
      if (resume(next.thread, *next.fiber))
        unused.push_back(std::move(next.fiber));
      else
        later.push_back(std::move(next));
    }
    waiting.clear();
    for (std::size_t i = later.size(); i-- > 0;)
      waiting.push_back(std::move(later[i]));
  }
  if (block.failure) // What waits is never gone on with.
    std::rethrow_exception(std::exchange(block.failure, nullptr));
  return hasWaited;
}

void awaitBlock() {
  if (!block.running)
    throw UnevenBarrier();
  change(block.running->context, block.scheduler);
}

} // namespace gradtidy::runtime
