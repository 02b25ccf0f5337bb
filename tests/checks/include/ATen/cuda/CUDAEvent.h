// The part of LibTorch's header of this name that the tests of the checks use.
#pragma once

#include <ATen/cuda/CUDAContext.h>

namespace at::cuda {
class CUDAEvent {
public:
  void record(const CUDAStream &stream);
  void block(const CUDAStream &stream);
  void synchronize() const;
};
} // namespace at::cuda
