// What a function does about the launches of CUDA kernels that stand in it.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// Whether \p stream, of a launch in \p function or of a call that leads to one, names the stream
/// that is there without any: zero, be it in a variable that never has another value.
bool isDefaultStream(const ir::Node &stream, const FunctionBody &function);

/// \param function is no closure: what closures do is said of the function around them.
KernelCare kernelCareOf(const FunctionBody &function);

} // namespace gradtidy
