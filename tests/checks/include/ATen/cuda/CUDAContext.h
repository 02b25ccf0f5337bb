// The part of LibTorch's header of this name that the tests of the checks use.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

namespace c10 {
class Stream;
}

namespace c10::cuda {
class CUDAStream {
public:
  operator cudaStream_t() const;
  operator Stream() const;
  cudaStream_t stream() const;
  void synchronize() const;
};
CUDAStream getCurrentCUDAStream(std::int8_t device = -1);
CUDAStream getDefaultCUDAStream(std::int8_t device = -1);
CUDAStream getStreamFromPool(bool isHighPriority = false, std::int8_t device = -1);
void setCurrentCUDAStream(CUDAStream stream);
} // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAStream;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromPool;
} // namespace at::cuda
