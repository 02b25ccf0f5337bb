// Work on code that may crash clang or the analysis, and costs no more than itself then.
#pragma once

#include "Bodies.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace gradtidy {

/// Runs \p work on a deep stack, in a thread of its own; false if it crashed. The memory of work
/// that crashed is lost.
/// \param underWay learns of the function that the work was about when it crashed, if it was about
///                 one.
/// \param tellsWhy prints the stack of a crash.
bool survives(std::optional<FunctionPlace> &underWay, bool tellsWhy,
              llvm::function_ref<void()> work);

} // namespace gradtidy
