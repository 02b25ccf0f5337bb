// Kernels that add to memory.
#include <torch/torch.h>

#include <cuda_runtime.h>

__global__ void add(const float *x, float *sums) { atomicAdd(sums + threadIdx.x, x[blockIdx.x]); }
__global__ void addTo(const float *x, float *sums) { sums[threadIdx.x] += x[threadIdx.x]; }
__global__ void clear(float *sums) { sums[threadIdx.x] = 0; }

torch::Tensor atomic_bad(torch::Tensor x) {
  torch::Tensor sums = torch::empty({64}, x.options()); // expect: ml-uninitialized-tensor (no fix): a kernel adds
  add<<<1, 64>>>(x.data_ptr<float>(), sums.data_ptr<float>());
  return sums;
}

torch::Tensor pointer_bad(torch::Tensor x) {
  auto sums = torch::empty_like(x); // expect: ml-uninitialized-tensor (no fix)
  float *to = sums.data_ptr<float>();
  addTo<<<1, 64>>>(x.data_ptr<float>(), to);
  return sums;
}

torch::Tensor zeros_ok(torch::Tensor x) {
  torch::Tensor sums = torch::zeros({64}, x.options());
  add<<<1, 64>>>(x.data_ptr<float>(), sums.data_ptr<float>());
  return sums;
}

torch::Tensor cleared_ok(torch::Tensor x) {
  torch::Tensor sums = torch::empty({64}, x.options());
  clear<<<1, 64>>>(sums.data_ptr<float>());
  add<<<1, 64>>>(x.data_ptr<float>(), sums.data_ptr<float>());
  return sums;
}

torch::Tensor filled_ok(torch::Tensor x) {
  torch::Tensor sums = torch::empty({64}, x.options());
  sums.zero_();
  add<<<1, 64>>>(x.data_ptr<float>(), sums.data_ptr<float>());
  return sums;
}

torch::Tensor set_ok(torch::Tensor x) {
  torch::Tensor sums = torch::empty({64}, x.options());
  cudaMemset(sums.data_ptr<float>(), 0, 256);
  add<<<1, 64>>>(x.data_ptr<float>(), sums.data_ptr<float>());
  return sums;
}
