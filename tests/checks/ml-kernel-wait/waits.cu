// Kernels run in the order of their stream, whether the host waits or not.
#include <torch/torch.h>

#include <c10/cuda/CUDAException.h>
#include <ATen/cuda/CUDAContext.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void square(const float *x, float *y) {}

torch::Tensor waits_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  cudaDeviceSynchronize(); // expect: ml-kernel-wait (level 1): the host waits here
  return y;
}

torch::Tensor checksToo_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  cudaDeviceSynchronize(); // expect: ml-kernel-wait
  cudaError_t failed = cudaGetLastError();
  if (failed != cudaSuccess) {
    std::fprintf(stderr, "failed\n");
    std::exit(1);
  }
  return y;
}

torch::Tensor onCurrent_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  square<<<1, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>());
  cudaStreamSynchronize(stream); // expect: ml-kernel-wait
  return y.sum();
}

// --- silent

torch::Tensor inOrder_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

// Nothing that is computed later waits for this stream by itself.
torch::Tensor ownStream_ok(torch::Tensor x, cudaStream_t stream) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>());
  cudaStreamSynchronize(stream);
  return y;
}

double timed_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  auto start = std::chrono::steady_clock::now();
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  cudaDeviceSynchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void readOut(const torch::Tensor &counts);

void othersRead_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  cudaDeviceSynchronize();
  readOut(y);
}

// It waits for what came before.
torch::Tensor waitsBefore_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  cudaDeviceSynchronize();
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor dispatched_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  [&] { square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); }();
  cudaDeviceSynchronize(); // expect: ml-kernel-wait (no fix)
  return y;
}
