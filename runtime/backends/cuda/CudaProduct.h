// Products of matrices by a kernel of our own, where NVIDIA's library has no algorithm.
#pragma once

#include "../../core/Backend.h"

namespace gradtidy::runtime {

/// Queues a product without an epilogue, of any size and layout, in a cudaStream_t whose device is
/// current. One thread for each element, which takes much longer than a library would.
void multiplyByThreads(const MatrixProduct &product, void *stream);

} // namespace gradtidy::runtime
