// What kernels need of CUDA: the shape of a launch, errors as exceptions.
#pragma once

#include "../../core/Error.h"

#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

namespace gradtidy::runtime {

inline void checkCuda(cudaError_t status) {
  if (status != cudaSuccess)
    cudaGetLastError(); // or CUB, which looks for errors of calls before, reports it once more
  TORCH_CHECK(status == cudaSuccess, "CUDA error: ", cudaGetErrorString(status));
}

constexpr int cudaThreads = 256;
constexpr int cudaMaxBlocks = 65535;

/// How many blocks of cudaThreads threads for `count` elements, each thread taking several if need
/// be.
inline unsigned cudaBlocks(int64_t count) {
  return static_cast<unsigned>(
      std::clamp<int64_t>((count + cudaThreads - 1) / cudaThreads, 1, cudaMaxBlocks));
}

/// Queues `kernel` in `stream`, a cudaStream_t, with a grid of `blocks` of cudaThreads threads.
template <class... Parameters, class... Arguments>
void launchKernel(void (*kernel)(Parameters...), dim3 blocks, void *stream,
                  const Arguments &...arguments) {
  cudaLaunchConfig_t shape{};
  shape.gridDim = blocks;
  shape.blockDim = dim3(cudaThreads);
  shape.stream = static_cast<cudaStream_t>(stream);
  checkCuda(cudaLaunchKernelEx(&shape, kernel, Parameters(arguments)...));
}

} // namespace gradtidy::runtime
