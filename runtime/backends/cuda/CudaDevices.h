// The machine's CUDA devices, for runtimes that were built with GRADTIDY_CUDA.
//
// They hold tensors, copy and multiply them, and run the kernels that are written as functions of
// one element (ops/kernels). Whatever else is launched throws.
#pragma once

#include "../../core/Backend.h"

#include <vector>

namespace gradtidy::runtime {

/// One for each device that the driver shows; throws where there is none.
std::vector<std::unique_ptr<Accelerator>> makeCudaDevices();

} // namespace gradtidy::runtime
