// A CUDA runtime without a device: kernels are host functions, and their threads take turns.
//
// The kernels of the runtime (GRADTIDY_KERNELS) are compiled as host code against this header,
// which has what they and backends/cuda/CudaDevices.cpp need of CUDA's own under the same names.
// The blocks of a kernel run one after the other, the threads of a block too, each up to its next
// barrier. Streams do not lag, but their work and events are done only when the host has waited for
// something, or asks once more. What a real device would not forgive fails here, too: memory of the
// device that the host touches, barriers that not all threads of a block reach, launches of too
// many threads or while another device is current, waiting for a stream that is captured or for its
// device, errors of earlier calls that nobody has asked for when CUB is called. Memory that nobody
// has written holds what no result should.
//
// What this cannot show: races between threads, and anything about time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __grid_constant__
// Only one block runs at a time. In a section of its own all that blocks share can be filled before
// each of them. GCC has no such section for templates, and the sanitizer of addresses would not see
// what lies behind an end there.
#define __shared__ static
#if defined(__clang__)
#if !__has_feature(address_sanitizer)
#undef __shared__
#define __shared__ static __attribute__((section("emulated_shared"), used))
#endif
#endif

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// NOLINTBEGIN: names of CUDA
inline thread_local dim3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim, gridDim;
/// Ends the turn of a thread until all of its block are here.
void __syncthreads();

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600,
  cudaErrorAssert = 710,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureUnjoined = 904,
  cudaErrorCapturedEvent = 907,
};
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize();

using cudaStream_t = struct EmulatedStream *;
enum : unsigned { cudaStreamNonBlocking = 1 };
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);

using cudaEvent_t = struct EmulatedEvent *;
enum : unsigned { cudaEventDefault = 0, cudaEventDisableTiming = 2 };
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);

enum cudaMemoryType { cudaMemoryTypeUnregistered = 0, cudaMemoryTypeDevice = 2 };
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
};
enum : unsigned { cudaHostAllocPortable = 1 };
enum cudaMemcpyKind {
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice
};
cudaError_t cudaMalloc(void **memory, std::size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaHostAlloc(void **memory, std::size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *memory);
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice,
                                std::size_t bytes, cudaStream_t stream);

using cudaGraph_t = struct EmulatedGraph *;
using cudaGraphExec_t = struct EmulatedGraph *;
enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed = 2 };
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated
};
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                     unsigned long long *id);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *work, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t work, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t work);

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
};

namespace emulator {
/// Runs `thread`, which holds all it needs by value, for each thread of the grid.
cudaError_t run(const cudaLaunchConfig_t &shape, const std::function<void()> &thread);
/// Lets `work` see the memory of all devices, now or, where the stream is captured, in each replay.
cudaError_t onDevice(cudaStream_t stream, const std::function<void()> &work);
/// How many kernels were launched so far, those of libraries not counted.
std::size_t launches();
/// Whether what blocks share is filled before each of them.
bool fillsShared();
/// The devices that were started, by any call that needs one, since they were last forgotten.
std::set<int> startedDevices();
void forgetStartedDevices();
/// How many bytes each device has.
void setMemory(std::size_t bytes);
/// In which order the blocks of later kernels run: any would do.
void setLastBlockFirst(bool reversed);
} // namespace emulator

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *shape, void (*kernel)(Parameters...),
                               Arguments &&...arguments) {
  return emulator::run(*shape, [kernel, ... copies = Parameters(arguments)] { kernel(copies...); });
}
// NOLINTEND
