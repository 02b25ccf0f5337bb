// The part of LibTorch's header of this name that the tests of the checks use.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

namespace c10::cuda {
class CUDAStream {
public:
  operator cudaStream_t() const;
  cudaStream_t stream() const;
  void synchronize() const;
};
CUDAStream getCurrentCUDAStream(std::int8_t device = -1);
} // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAStream;
using c10::cuda::getCurrentCUDAStream;
} // namespace at::cuda
