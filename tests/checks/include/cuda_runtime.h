// The part of CUDA's header of this name that the tests of the checks use, so that sources of CUDA
// are tested without a toolkit. Signatures are CUDA's own.
#pragma once

#include <cstddef>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;

__device__ float atomicAdd(float *address, float value);
__device__ int min(int a, int b);
__device__ int max(int a, int b);

enum cudaError { cudaSuccess = 0 };
using cudaError_t = cudaError;
using cudaStream_t = struct CUstream_st *;
using cudaEvent_t = struct CUevent_st *;

extern "C" {
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaSetDevice(int device);
cudaError_t cudaMemset(void *memory, int value, std::size_t bytes);
cudaError_t cudaMalloc(void **memory, std::size_t bytes);
cudaError_t cudaMallocAsync(void **memory, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFree(void *memory);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaMallocHost(void **memory, std::size_t bytes);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventDestroy(cudaEvent_t event);
}
template <class T> cudaError_t cudaMalloc(T **memory, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}

// Clang calls one of these for what stands between <<< and >>>: the first where it knows of a
// toolkit.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t sharedMemory = 0,
                                     CUstream_st *stream = nullptr);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, std::size_t sharedMemory = 0,
                              cudaStream_t stream = nullptr);
