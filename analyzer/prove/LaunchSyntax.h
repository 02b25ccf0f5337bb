// Sources of CUDA for compilers that know C++ alone.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gradtidy {

/// \p text with each `kernel<<<grid, block>>>(x)` replaced by the call that
/// runtime/toolkit/cuda_runtime.h has for it, on the same lines. nvcc does so, too, with a call of
/// its own. Throws std::runtime_error, with the number of the line, where it cannot tell what is
/// launched.
std::string withoutLaunchSyntax(llvm::StringRef text);

} // namespace gradtidy
