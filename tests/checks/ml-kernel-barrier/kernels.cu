// Barriers that not all threads reach, barriers that are missing, and memory that one block
// prepares for all.
#include <torch/torch.h>

#include <cuda_runtime.h>

// --- barriers that not all threads reach -------------------------------------------------------------

__global__ void rounds_bad(const float *x, float *y, int n) {
  __shared__ float part[256];
  const int thread = threadIdx.x;
  for (int i = thread; i < n; i += 256) {
    part[thread] = x[i];
    __syncthreads(); // expect: ml-kernel-barrier: leave this loop after different numbers of rounds
    y[i] = part[thread];
  }
}

__global__ void branch_bad(const float *x, float *y, int n) {
  __shared__ float part[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    part[threadIdx.x] = x[i];
    __syncthreads(); // expect: ml-kernel-barrier (level 1): not all threads of a block reach this barrier
    y[i] = part[255 - threadIdx.x];
  }
}

__global__ void tiles_ok(const float *x, float *y, int n) {
  __shared__ float part[256];
  for (int tile = 0; tile < n; tile += 256) {
    const int i = tile + threadIdx.x;
    if (i < n)
      part[threadIdx.x] = x[i];
    __syncthreads();
    if (i < n)
      y[i] = part[threadIdx.x];
    __syncthreads();
  }
}

__global__ void blocks_ok(const float *x, float *y) {
  __shared__ float part[256];
  if (blockIdx.x > 0) {
    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = part[255 - threadIdx.x];
  }
}

__global__ void even_ok(const float *x, float *y, int blocks) {
  __shared__ float part[1024];
  for (int i = threadIdx.x; i < 1024; i += 256) {
    part[i] = x[i];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < blocks * 256; i += 256) {
    y[i] = part[i % 1024];
    __syncthreads();
  }
}

__global__ void halves_ok(float *x) {
  __shared__ float sums[256];
  sums[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    x[0] = sums[0];
}

// --- barriers that are missing -------------------------------------------------------------------------

__global__ void reused_bad(float *x, int heads, int width) {
  extern __shared__ float row[];
  const int lane = threadIdx.x;
  for (int head = 0; head < heads; ++head) {
    float *cell = x + head * width + lane;
    row[lane] = *cell; // expect: ml-kernel-barrier: overwrites this shared memory in the next round
    __syncthreads();
    *cell = row[width - 1 - lane];
  }
}

__global__ void reused_ok(float *x, int heads, int width) {
  extern __shared__ float row[];
  const int lane = threadIdx.x;
  for (int head = 0; head < heads; ++head) {
    float *cell = x + head * width + lane;
    row[lane] = *cell;
    __syncthreads();
    *cell = row[width - 1 - lane];
    __syncthreads();
  }
}

__global__ void own_ok(float *x, int heads, int width) {
  extern __shared__ float row[];
  const int lane = threadIdx.x;
  for (int head = 0; head < heads; ++head) {
    row[lane] = x[head * width + lane];
    __syncthreads();
    x[head * width + lane] = row[lane] * 2;
  }
}

// --- blocks that wait for none ---------------------------------------------------------------------------

__global__ void energy_bad(const float *x, float *energy, float *count, int n) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    energy[0] = 0; // expect: ml-kernel-barrier: one block prepares this memory
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&energy[0], x[i]);
  if (blockIdx.x == 0)
    count[0] = n;
}

__global__ void first_bad(const float *x, float *energy, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    *energy = 0; // expect: ml-kernel-barrier: blocks wait for none
  if (i < n)
    atomicAdd(energy, x[i]);
}

__global__ void energy_ok(const float *x, float *energy, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(energy, x[i]);
}

void run(torch::Tensor x, torch::Tensor y) {
  energy_ok<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), 5);
}

// --- reads that wait for no write ---------------------------------------------------------------------

__global__ void partial_bad(const float *x, float *y, int n) {
  __shared__ float part[128];
  part[threadIdx.x] = 0;
  for (int i = threadIdx.x; i < n; i += 128)
    part[threadIdx.x] += x[i];
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < 128; ++i)
      sum += part[i]; // expect: ml-kernel-barrier (level 1): waits for none of them
    y[blockIdx.x] = sum;
  }
}

__global__ void partial_ok(const float *x, float *y, int n) {
  __shared__ float part[128];
  part[threadIdx.x] = 0;
  for (int i = threadIdx.x; i < n; i += 128)
    part[threadIdx.x] += x[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < 128; ++i)
      sum += part[i];
    y[blockIdx.x] = sum;
  }
}

__device__ void settle() { __syncthreads(); }

__global__ void settled_ok(const float *x, float *y) {
  __shared__ float part[128];
  part[threadIdx.x] = x[threadIdx.x];
  settle();
  y[threadIdx.x] = part[0];
}

// Each thread reads its own part.
__global__ void own_ok(const float *x, float *y) {
  __shared__ float part[128];
  const int thread = threadIdx.x;
  part[threadIdx.x] = x[threadIdx.x];
  y[thread] = part[thread];
}

// What one thread writes beside those of the others is no read of theirs.
__global__ void beside_ok(const float *x, float *y) {
  __shared__ float sums[129];
  sums[threadIdx.x + 1] = x[threadIdx.x];
  if (threadIdx.x == 0)
    sums[0] = 0;
  __syncthreads();
  y[threadIdx.x] = sums[0] + sums[128];
}

// Threads that have left load nothing for the others.
__global__ void left_bad(const float *x, float *y, int n) {
  __shared__ float tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return; // expect: ml-kernel-barrier (no fix): do not reach the barrier
  float sum = 0;
  for (int begin = 0; begin < n; begin += 128) {
    tile[threadIdx.x] = x[begin + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j)
      sum += tile[j];
    __syncthreads();
  }
  y[i] = sum;
}

// Behind the last barrier everybody may leave, and a block leaves as a whole.
__global__ void left_late_ok(const float *x, float *y, int n) {
  __shared__ float tile[128];
  if (blockIdx.x >= n)
    return;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  if (i >= n)
    return;
  y[i] = tile[127 - threadIdx.x];
}

// Nobody waits for those that have left, and they would have written nothing for others.
__global__ void left_alone_ok(const float *x, float *y, int n) {
  __shared__ float tile[128];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = tile[0];
  __syncthreads();
  y[i] += tile[1];
}

// --- arrays of several dimensions ----------------------------------------------------------------------

__global__ void left_rows_bad(const float *x, float *y, int n) {
  __shared__ float rows[8][32];
  const int i = (blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x;
  if (i >= n)
    return; // expect: ml-kernel-barrier (no fix): do not reach the barrier
  rows[threadIdx.y][threadIdx.x] = x[i];
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) {
    if (threadIdx.x < step)
      rows[threadIdx.y][threadIdx.x] += rows[threadIdx.y][threadIdx.x + step];
    __syncthreads();
  }
  y[i] = rows[threadIdx.y][0];
}

__global__ void first_of_all_bad(const float *x, float *y) {
  __shared__ float rows[8][32];
  rows[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  y[threadIdx.y * 32 + threadIdx.x] = rows[0][0]; // expect: ml-kernel-barrier (no fix): waits for none of them
}

// Each thread reads what it has written itself, and the row of its own warp.
__global__ void own_element_ok(const float *x, float *y) {
  __shared__ float rows[8][32];
  rows[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  y[threadIdx.y * 32 + threadIdx.x] = rows[threadIdx.y][threadIdx.x] + 1;
}

__global__ void rows_ok(const float *x, float *y, int n) {
  __shared__ float rows[8][32];
  const int i = (blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x;
  rows[threadIdx.y][threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n)
    y[i] = rows[threadIdx.y][0];
}

// --- memory that all read, and that one overwrites ------------------------------------------------------

__device__ float largest(float value) { return value > 0 ? value : 0; }

__global__ void rounds_of_sums_bad(const float *x, float *y, int n) {
  __shared__ float part[256];
  const int thread = threadIdx.x;
  float sum = 0;
  for (int begin = 0; begin < n; begin += 256) {
    part[thread] = x[begin + thread]; // expect: ml-kernel-barrier (level 1): in the next round while others still read it
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
      if (thread < half)
        part[thread] += part[thread + half];
      __syncthreads();
    }
    sum += part[0];
  }
  y[blockIdx.x] = sum;
}

__global__ void one_after_the_other_bad(const float *x, float *y) {
  __shared__ float part[256];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const float top = largest(x[thread]);
  if (lane == 0)
    part[warp] = top;
  __syncthreads();
  const float all = part[0];
  const float sum = largest(x[thread] - all);
  if (lane == 0)
    part[warp] = sum; // expect: ml-kernel-barrier (level 1): overwrites this shared memory while others still read it
  __syncthreads();
  y[thread] = part[0];
}

__global__ void total_of_one_bad(const float *x, float *y) {
  __shared__ float total;
  if (threadIdx.x == 0)
    total = x[blockIdx.x];
  y[threadIdx.x] = x[threadIdx.x] / total; // expect: ml-kernel-barrier (level 1): waits for none of them
}

__global__ void total_of_one_ok(const float *x, float *y, int n) {
  __shared__ float total;
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0)
      total = x[i];
    __syncthreads();
    y[i * blockDim.x + threadIdx.x] = x[threadIdx.x] / total;
    __syncthreads();
  }
}

// Each round has its own half of the memory.
__global__ void two_buffers_ok(const float *x, float *y, int n) {
  __shared__ float part[2][256];
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    part[i % 2][threadIdx.x] = x[i * 256 + threadIdx.x];
    __syncthreads();
    sum += part[i % 2][255 - threadIdx.x];
  }
  y[threadIdx.x] = sum;
}

// The thread that reads it is the one that overwrites it.
__global__ void first_alone_ok(const float *x, float *y, int n) {
  __shared__ float part[256];
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    part[threadIdx.x] = x[i * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
      y[i] = part[0] + part[1];
  }
  if (threadIdx.x == 0)
    part[0] = y[0];
}

// Some go one way, the others the other.
__global__ void either_ok(const float *x, float *y, int mode) {
  __shared__ float part[256];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (mode == 0) {
    y[threadIdx.x] = part[0];
  } else {
    float own = part[threadIdx.x];
    part[threadIdx.x] = own * 2;
  }
}

// Calls of itself end somewhere.
__device__ int depthOf(int n) { return n > 0 ? depthOf(n / 2) + 1 : 0; }

__global__ void recursive_ok(float *x) {
  __shared__ int depth;
  if (threadIdx.x == 0)
    depth = depthOf(blockDim.x);
  __syncthreads();
  x[depthOf(threadIdx.x)] = depth;
}

// How long a tensor is tells nobody to wait.
__global__ void farthest_bad(const torch::PackedTensorAccessor32<float, 2> x, int *found) {
  __shared__ int best[256];
  int last = 0;
  for (int i = 1; i < x.size(1); ++i) {
    best[threadIdx.x] = last + threadIdx.x; // expect: ml-kernel-barrier (level 1): in the next round
    __syncthreads();
    if (threadIdx.x < 128)
      best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + 128]);
    __syncthreads();
    last = best[0];
  }
  found[blockIdx.x] = last;
}

// --- what each thread keeps for itself ------------------------------------------------------------------

__global__ void first_part_ok(const float *x, float *y) {
  __shared__ float part[128];
  part[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x == 0)
    y[0] = part[0];
}

__global__ void behind_first_ok(const float *x, float *y) {
  __shared__ float part[129];
  if (threadIdx.x == 0)
    part[0] = x[0];
  __syncthreads();
  part[1 + threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = part[0];
}

__global__ void two_tiles_ok(const float *x, float *y) {
  __shared__ float tiles[2][128];
  tiles[0][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  tiles[1][threadIdx.x] = x[threadIdx.x] * 2;
  float sum = 0;
  for (int i = 0; i < 128; ++i)
    sum += tiles[0][i];
  y[threadIdx.x] = sum;
}

__global__ void row_of_each_ok(const float *x, float *y, int n) {
  __shared__ float rows[128][4];
  const int own = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 4; ++j)
      rows[threadIdx.x][j] = x[i + j];
    __syncthreads();
    for (int k = 0; k < 4; ++k)
      y[own] += rows[own][k];
  }
}

template <typename Function> __device__ void twice(Function function) {
  function();
  function();
}

struct Meet {
  __device__ void operator()() const { __syncthreads(); }
};

__global__ void met_ok(const float *x, float *y) {
  __shared__ float total;
  if (threadIdx.x == 0)
    total = x[blockIdx.x];
  twice(Meet());
  y[threadIdx.x] = total;
}

__global__ void cases_ok(const float *x, float *y, int mode) {
  __shared__ float part[128];
  switch (mode) {
  case 0:
    part[threadIdx.x] = x[threadIdx.x];
    break;
  case 1:
    y[threadIdx.x] = part[0];
    break;
  }
}
