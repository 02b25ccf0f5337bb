// Kernels do not wait for the GPU; CUDA's own functions do.
#include <torch/torch.h>

#include <ATen/cuda/CUDAContext.h>
#include <chrono>

__global__ void square(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }

double waited_ok() {
  torch::Tensor x = torch::randn({256}, torch::kCUDA);
  torch::Tensor y = torch::empty({256}, torch::kCUDA);
  auto begin = std::chrono::steady_clock::now();
  torch::Tensor z = torch::matmul(x, x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  cudaDeviceSynchronize();
  auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(end - begin).count();
}

double waitedForStream_ok() {
  torch::Tensor x = torch::randn({256}, torch::kCUDA);
  torch::Tensor y = torch::empty({256}, torch::kCUDA);
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  auto begin = std::chrono::steady_clock::now();
  torch::Tensor z = torch::matmul(x, x);
  square<<<1, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>());
  cudaStreamSynchronize(stream);
  auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(end - begin).count();
}

double notWaited_bad() {
  torch::Tensor x = torch::randn({256}, torch::kCUDA);
  torch::Tensor z = torch::empty({256}, torch::kCUDA);
  const float *from = x.data_ptr<float>();
  float *to = z.data_ptr<float>();
  const dim3 grid(1), block(256);
  auto begin = std::chrono::steady_clock::now();
  torch::Tensor y = torch::matmul(x, x);
  square<<<grid, block>>>(from, to);
  auto end = std::chrono::steady_clock::now(); // expect: ml-unsynchronized-timing
  return std::chrono::duration<double>(end - begin).count();
}

double pointed_bad() {
  torch::Tensor x = torch::randn({256}, torch::kCUDA);
  auto begin = std::chrono::steady_clock::now();
  torch::Tensor y = torch::matmul(x, x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  // What asks for a pointer may be about to copy from it, which waits.
  auto end = std::chrono::steady_clock::now(); // miss: ml-unsynchronized-timing: see above
  return std::chrono::duration<double>(end - begin).count();
}
