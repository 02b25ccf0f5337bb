// What kernels need of CUDA: the shape of a launch, errors as exceptions.
#pragma once

#include "../../core/Error.h"

#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

namespace gradtidy::runtime {

inline void checkCuda(cudaError_t status) {
  TORCH_CHECK(status == cudaSuccess, "CUDA error: ", cudaGetErrorString(status));
}

constexpr int cudaThreads = 256;
constexpr int cudaMaxBlocks = 65535;

/// Blocks of cudaThreads threads for `count` elements, each thread taking several if need be.
inline unsigned cudaBlocks(int64_t count) {
  return static_cast<unsigned>(
      std::clamp<int64_t>((count + cudaThreads - 1) / cudaThreads, 1, cudaMaxBlocks));
}

} // namespace gradtidy::runtime
