// Threads of the last block that have no element, and elements that have no thread.
#include <torch/torch.h>

#include <cuda_runtime.h>

// --- threads without an element -----------------------------------------------------------------------

__global__ void scale_bad(float *x, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= factor; // expect: ml-kernel-bounds (level 1): threads of the last block go over the end of this memory
}

void scale(torch::Tensor x) {
  const int n = x.numel();
  scale_bad<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), 2.0f);
}

template <typename T> __global__ void copy_bad(const T *x, T *y, int n) {
  const int block = blockIdx.x, thread = threadIdx.x;
  const int i = block * blockDim.x + thread;
  const T value = x[i]; // expect: ml-kernel-bounds: nothing asks whether there is an element for them
  y[i] = value;
}

void copy(torch::Tensor x, torch::Tensor y) {
  const int threads = 128;
  const dim3 grid(x.numel() / threads + 1);
  copy_bad<float><<<grid, threads>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
}

__global__ void guarded_ok(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  x[i] += 1;
}

__global__ void strided_ok(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    x[i] += 1;
}

__global__ void clamped_ok(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i < n ? i : n - 1] = 1;
}

__device__ bool isInside(int i, int n) { return i < n; }

__global__ void asked_ok(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (isInside(i, n))
    x[i] += 1;
}

// One thread for each element: the grid has as many blocks as rows, the block as many threads as columns.
__global__ void cells_ok(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

void launches(torch::Tensor x) {
  const int n = x.numel(), blocks = (n + 255) / 256;
  guarded_ok<<<blocks, 256>>>(x.data_ptr<float>(), n);
  strided_ok<<<blocks, 256>>>(x.data_ptr<float>(), n);
  clamped_ok<<<blocks, 256>>>(x.data_ptr<float>(), n);
  asked_ok<<<blocks, 256>>>(x.data_ptr<float>(), n);
  TORCH_CHECK(x.size(1) <= 1024, "short rows");
  cells_ok<<<x.size(0), x.size(1)>>>(x.data_ptr<float>());
}

// --- elements without a thread ------------------------------------------------------------------------

__global__ void add_ok(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += 1;
}

void down_bad(torch::Tensor x) {
  const int n = x.numel();
  const int threads = 256;
  add_ok<<<n / threads, threads>>>(x.data_ptr<float>(), n); // expect: ml-kernel-bounds (level 1): the number of blocks is rounded down
}

void whole_ok(torch::Tensor x) {
  const int n = x.numel();
  TORCH_CHECK(n % 256 == 0, "whole blocks");
  add_ok<<<n / 256, 256>>>(x.data_ptr<float>(), n);
}

void fixed_ok(torch::Tensor x) { add_ok<<<8192 / 256, 256>>>(x.data_ptr<float>(), 8192); }

// Each block has a group of elements of its own.
__global__ void groups_ok(float *x) { x[blockIdx.x * 4] += 1; }

void groups(torch::Tensor x) { groups_ok<<<x.numel() / 4, 32>>>(x.data_ptr<float>()); }

// --- blocks ---------------------------------------------------------------------------------------------

__global__ void rows(float *x, int n) {
  if (threadIdx.x < n)
    x[threadIdx.x] = 0;
}

void one_block_bad(torch::Tensor x) {
  const auto count = x.size(0);
  rows<<<1, count>>>(x.data_ptr<float>(), count); // expect: ml-kernel-bounds (level 1): a block has at most 1024 threads
}

void square_bad(torch::Tensor x) {
  dim3 block(x.size(1), 2);
  rows<<<x.size(0), block>>>(x.data_ptr<float>(), x.size(1)); // expect: ml-kernel-bounds (level 1): a block has at most 1024 threads
}

void clamped_block_ok(torch::Tensor x) {
  const int count = std::min<int>(x.size(0), 1024);
  rows<<<1, count>>>(x.data_ptr<float>(), count);
}

void asked_block_ok(torch::Tensor x) {
  const int count = x.size(0);
  if (count > 1024)
    return;
  rows<<<1, count>>>(x.data_ptr<float>(), count);
}

static int threadsFor(int64_t count) { return count > 512 ? 1024 : 256; }

void computed_block_ok(torch::Tensor x) {
  rows<<<1, threadsFor(x.size(0))>>>(x.data_ptr<float>(), x.size(0));
}

static void launch(float *x, int count) { rows<<<1, count>>>(x, count); }

void fixed_block_ok(torch::Tensor x) { launch(x.data_ptr<float>(), 32); }

static void validate(int64_t count, int64_t most) { TORCH_CHECK(count <= most, "too many"); }

void validated_block_ok(torch::Tensor x) {
  const auto count = x.size(0);
  validate(count, 1024);
  rows<<<1, count>>>(x.data_ptr<float>(), count);
}

void two_blocks_bad(torch::Tensor x) {
  const auto count = x.size(0);
  rows<<<1, count>>>(x.data_ptr<float>(), count); // expect: ml-kernel-bounds (level 1): a block has at most 1024 threads
  rows<<<1, count>>>(x.data_ptr<float>(), count);
}

void shared_out_ok(torch::Tensor x) {
  const int channels = x.size(1);
  rows<<<1, 1024 / channels>>>(x.data_ptr<float>(), channels);
}

// The place of a thread may lie in shared memory: it goes over all elements from there.
__global__ void kept_kernel(float *x, int n) {
  __shared__ int range[2];
  range[0] = blockIdx.x * blockDim.x + threadIdx.x;
  range[1] = gridDim.x * blockDim.x;
  for (int i{range[0]}; i < n; i += range[1])
    x[i] *= 2;
}

void kept_ok(torch::Tensor x) {
  const int n = x.numel();
  kept_kernel<<<n / 256, 256>>>(x.data_ptr<float>(), n);
}
