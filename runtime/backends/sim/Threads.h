// Threads: those of a block of a CUDA kernel, on the host, where they take turns.
//
// Each runs up to its next barrier, then the next one does, and behind a barrier in another order
// than before it. So what a kernel leaves to the order of its threads comes out the same in every
// run, and wrong. The simulated devices run the kernels of programs so (Kernels.h), and the tests
// those of the runtime.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>

namespace gradtidy::runtime {

/// What becomes of a block some of whose threads have ended when others wait at a barrier. Where
/// the first one has met none, a barrier is an UnevenBarrier in any case.
enum class EarlyEnd {
  Allowed, ///< Nobody waits for those, as on devices since Volta.
  Refused, ///< The block ends.
};

/// Runs `thread` for each of a block. `enter` says which one, before each of its turns. An
/// exception ends the block, and is thrown here. Returns whether any thread has waited at a
/// barrier.
bool runBlock(std::size_t threads, const std::function<void(std::size_t)> &enter,
              const std::function<void()> &thread, EarlyEnd earlyEnd = EarlyEnd::Allowed);

/// Ends the turn of a thread until all others of its block wait, or have ended.
void awaitBlock();

/// Some threads of a block waited at a barrier, and others had ended.
class UnevenBarrier : public std::exception {
public:
  const char *what() const noexcept override {
    return "some threads of a block wait at a barrier, others have ended";
  }
};

} // namespace gradtidy::runtime
