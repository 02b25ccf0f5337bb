// Indices that kernels compute of the sizes that they are given.
#include <torch/torch.h>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

__global__ void wide(const float *x, float *y, int64_t channels, int64_t size) {
  const int64_t c = blockIdx.y, n = blockIdx.z, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    y[(n * channels + c) * size + i] = x[(n * channels + c) * size + i];
}

__global__ void narrow(const float *x, float *y, int samples, int channels, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size)
    return;
  for (int n = 0; n < samples; ++n)
    for (int c = 0; c < channels; ++c) {
      const int index = (n * channels + c) * size + i; // expect: ml-index-overflow (level 1)
      y[index] = x[index];
    }
}

void copy(torch::Tensor x, torch::Tensor y) {
  const at::cuda::OptionalCUDAGuard guard(x.device());
  x = x.contiguous();
  y = y.contiguous();
  const dim3 blocks((x.size(2) + 255) / 256, x.size(1), x.size(0));
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  wide<<<blocks, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1), x.size(2));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  narrow<<<blocks.x, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0),
                                       x.size(1), x.size(2));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}
