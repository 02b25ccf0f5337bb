// A library computes on the stream of its handle.
#include <torch/torch.h>

#include <ATen/cuda/CUDAContext.h>
#include <cublas_v2.h>

static void multiply(cublasHandle_t handle, const torch::Tensor &a, const torch::Tensor &x,
                     torch::Tensor &y) {
  const float one = 1, zero = 0;
  cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &one, a.data_ptr<float>(), 4, x.data_ptr<float>(), 1,
              &zero, y.data_ptr<float>(), 1);
}

torch::Tensor without_bad(torch::Tensor a, torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  const float one = 1, zero = 0;
  cublasHandle_t handle;
  cublasCreate(&handle); // expect: ml-kernel-stream (no fix) (level 1): 'handle' is given no stream and computes on the default one
  cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &one, a.data_ptr<float>(), 4, x.data_ptr<float>(), 1,
              &zero, y.data_ptr<float>(), 1);
  cublasDestroy(handle);
  return y;
}

torch::Tensor handed_bad(torch::Tensor a, torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  cublasHandle_t handle;
  cublasCreate(&handle); // expect: ml-kernel-stream (no fix)
  multiply(handle, a, x, y);
  cublasDestroy(handle);
  return y;
}

torch::Tensor current_ok(torch::Tensor a, torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetStream(handle, at::cuda::getCurrentCUDAStream());
  multiply(handle, a, x, y);
  cublasDestroy(handle);
  return y;
}

static void prepare(cublasHandle_t handle) {
  cublasSetStream(handle, at::cuda::getCurrentCUDAStream());
}
torch::Tensor prepared_ok(torch::Tensor a, torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  cublasHandle_t handle;
  cublasCreate(&handle);
  prepare(handle);
  multiply(handle, a, x, y);
  cublasDestroy(handle);
  return y;
}

void configure(cublasHandle_t handle);
torch::Tensor elsewhere_ok(torch::Tensor a, torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  cublasHandle_t handle;
  cublasCreate(&handle);
  configure(handle);
  multiply(handle, a, x, y);
  cublasDestroy(handle);
  return y;
}

// Nothing is computed with it.
void unused_ok(torch::Tensor x) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasDestroy(handle);
}

// No tensor has anything to do with it.
void others_ok(const float *a, float *x) {
  const float one = 1, zero = 0;
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &one, a, 4, x, 1, &zero, x, 1);
  cublasDestroy(handle);
}
