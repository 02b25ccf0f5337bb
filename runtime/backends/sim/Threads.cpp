#include "Threads.h"

#include <exception>
#include <memory>
#include <ucontext.h>
#include <utility>
#include <vector>

namespace gradtidy::runtime {
namespace {

constexpr std::size_t stackBytes = std::size_t{64} << 10;

/// A stack, and where its thread goes on.
struct Fiber {
  ucontext_t context{};
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
  ucontext_t scheduler{};
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
  runThread();
  block.hasEnded = true;
  swapcontext(&block.running->context, &block.scheduler);
}

/// Whether the thread has ended in this turn of it.
bool resume(std::size_t thread, Fiber &fiber) {
  (*block.enter)(thread);
  block.running = &fiber;
  block.hasEnded = false;
  swapcontext(&block.scheduler, &fiber.context);
  block.running = nullptr;
  return block.hasEnded;
}

std::unique_ptr<Fiber> makeFiber() {
  std::unique_ptr<Fiber> fiber;
  if (unused.empty()) {
    fiber = std::make_unique<Fiber>();
  } else {
    fiber = std::move(unused.back());
    unused.pop_back();
  }
  getcontext(&fiber->context);
  fiber->context.uc_stack = {fiber->stack.get(), 0, stackBytes};
  fiber->context.uc_link = nullptr;
  makecontext(&fiber->context, fiberMain, 0);
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
  swapcontext(&block.running->context, &block.scheduler);
}

} // namespace gradtidy::runtime
