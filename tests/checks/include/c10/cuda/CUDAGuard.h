// The part of LibTorch's header of this name that the tests of the checks use.
#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <optional>
#include <torch/torch.h>

namespace c10::cuda {
class CUDAGuard {
public:
  explicit CUDAGuard(torch::Device device);
  ~CUDAGuard();
};

class CUDAStreamGuard {
public:
  explicit CUDAStreamGuard(CUDAStream stream);
  ~CUDAStreamGuard();
};

class OptionalCUDAGuard {
public:
  explicit OptionalCUDAGuard(std::optional<torch::Device> device);
  ~OptionalCUDAGuard();
};
} // namespace c10::cuda

namespace at {
std::optional<torch::Device> device_of(const torch::Tensor &tensor);
namespace cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::OptionalCUDAGuard;
} // namespace cuda
} // namespace at
