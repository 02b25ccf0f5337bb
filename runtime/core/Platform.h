// What depends on the compiler.
#pragma once

// Formulas of elements are function objects marked with this word, so that a device compiler may
// compile the same formula for its kernels.
#if defined(__CUDACC__)
#define GRADTIDY_HOST_DEVICE __host__ __device__
#else
#define GRADTIDY_HOST_DEVICE
#endif
