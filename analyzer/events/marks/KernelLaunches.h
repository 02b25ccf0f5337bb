// What a function does about the launches of CUDA kernels that stand in it.
#pragma once

#include "analyzer/events/KernelCare.h"
#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// \param function is no closure: what closures do is said of the function around them.
KernelCare kernelCareOf(const FunctionCode &function, Vocabulary &vocabulary);

} // namespace gradtidy
