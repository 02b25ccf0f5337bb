// What sources of CUDA get of its toolkit, where there is none: nvcc includes its header of this
// name before each of them, and so do gradtidy and the fixtures.
//
// clang, which parses CUDA, gets the words of the language and declarations. For other compilers
// kernels are functions of the host that simulated devices run (backends/sim/Kernels.h): what nvcc
// makes of a launch, `kernel<<<grid, block>>>(x)`, is runtime::launcher(…, grid, block)(x) here,
// and whoever compiles such a source puts that in its place.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib> // clang's <new> wants it.

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

enum cudaError : int {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorIllegalAddress = 700,
  cudaErrorAssert = 710,
};
using cudaError_t = cudaError;
using cudaStream_t = struct CUstream_st *;

#if defined(__CUDA__)

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))

struct uint3 {
  unsigned x, y, z;
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;

__device__ float sqrtf(float x);
__device__ float expf(float x);
__device__ float logf(float x);
__device__ float fabsf(float x);
__device__ float fmaxf(float x, float y);
__device__ float fminf(float x, float y);
__device__ float atomicAdd(float *address, float value);
__device__ double atomicAdd(double *address, double value);
__device__ int atomicAdd(int *address, int value);

extern "C" {
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaMalloc(void **memory, std::size_t bytes);
cudaError_t cudaFree(void *memory);
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

#else

#include "../backends/sim/Kernels.h"
#include "../backends/sim/Threads.h"

#define __global__
#define __device__
#define __host__
#define __shared__ static // Blocks run one after the other.

#define threadIdx (::gradtidy::runtime::kernelIndex.thread)
#define blockIdx (::gradtidy::runtime::kernelIndex.block)
#define blockDim (::gradtidy::runtime::kernelIndex.blockSize)
#define gridDim (::gradtidy::runtime::kernelIndex.gridSize)

inline void __syncthreads() { ::gradtidy::runtime::awaitBlock(); }

/// Threads take turns: what they add, they add one after the other.
template <class T> T atomicAdd(T *address, T value) {
  const T before = *address;
  *address += value;
  return before;
}

inline cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(::gradtidy::runtime::takeLastError());
}
inline cudaError_t cudaPeekAtLastError() {
  return static_cast<cudaError_t>(::gradtidy::runtime::peekLastError());
}
inline const char *cudaGetErrorString(cudaError_t error) {
  return ::gradtidy::runtime::errorText(static_cast<::gradtidy::runtime::CudaError>(error));
}
inline cudaError_t cudaDeviceSynchronize() {
  return static_cast<cudaError_t>(::gradtidy::runtime::awaitDevice());
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return static_cast<cudaError_t>(::gradtidy::runtime::awaitStream(stream));
}
inline cudaError_t cudaSetDevice(int device) {
  return static_cast<cudaError_t>(::gradtidy::runtime::chooseDevice(device));
}
inline cudaError_t cudaGetDevice(int *device) {
  *device = ::gradtidy::runtime::cuda::current_device();
  return cudaSuccess;
}

template <class T> cudaError_t cudaMalloc(T **memory, std::size_t bytes) {
  void *gotten = nullptr;
  const auto error = static_cast<cudaError_t>(::gradtidy::runtime::getMemory(&gotten, bytes));
  *memory = static_cast<T *>(gotten);
  return error;
}
inline cudaError_t cudaFree(void *memory) {
  return static_cast<cudaError_t>(::gradtidy::runtime::giveMemoryBack(memory));
}

namespace gradtidy::runtime {

/// What launches `kernel`, which takes its arguments by value, when it gets them.
template <class Kernel>
auto launcher(Kernel kernel, dim3 grid, dim3 block, std::size_t sharedBytes = 0,
              cudaStream_t stream = nullptr) {
  return [=](auto... arguments) {
    KernelLaunch launch(
        {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, sharedBytes, stream});
    launch.queue([kernel, ... copies = launch.argument(arguments)] { kernel(copies...); });
  };
}

} // namespace gradtidy::runtime

#endif
