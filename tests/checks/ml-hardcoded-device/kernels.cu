// Memory for the kernels of a library.
#include <torch/torch.h>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime.h>

__global__ void square(const float *x, float *y) {}

torch::Tensor moved_bad(torch::Tensor x) {
  auto y = torch::zeros({64}).to(torch::kCUDA); // expect: ml-hardcoded-device (no fix) (level 1): wherever the tensors are
  square<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor like_input_ok(torch::Tensor x) {
  auto y = torch::zeros({64}, x.options());
  square<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor guarded_ok(torch::Tensor x) {
  const c10::cuda::CUDAGuard guard(x.device());
  auto y = torch::zeros({64}).to(torch::kCUDA);
  square<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
