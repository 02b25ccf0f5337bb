// The part of LibTorch's header of this name that the tests of the checks use.
#pragma once

#include <cuda_runtime.h>

#define C10_CUDA_CHECK(EXPR)                                                                       \
  do {                                                                                             \
    const cudaError_t error = EXPR;                                                                \
    if (error != cudaSuccess)                                                                      \
      throw error;                                                                                 \
  } while (0)

#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
