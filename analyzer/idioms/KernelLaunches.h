// What a function does about the launches of CUDA kernels that stand in it.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// \param function is no closure: what closures do is said of the function around them.
KernelCare kernelCareOf(const FunctionBody &function);

} // namespace gradtidy
