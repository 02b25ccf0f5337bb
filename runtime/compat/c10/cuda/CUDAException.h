// LibTorch's header of this name, for sources that are compiled with CUDA's toolkit, or what
// gradtidy has instead (runtime/toolkit).
#pragma once

#include <torch/torch.h>

#ifndef C10_CUDA_CHECK
#define C10_CUDA_CHECK(EXPR) ::gradtidy::runtime::cuda::checkError(static_cast<int>(EXPR))
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#endif
