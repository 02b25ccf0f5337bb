#include "Kernels.h"
#include "../../core/PinnedMemory.h"
#include "Simulator.h"
#include "Threads.h"

#include <map>
#include <mutex>
#include <utility>

/// What a cudaStream_t of a simulated device leads to. That of a default stream is null, as CUDA's
/// is.
struct CUstream_st {
  explicit CUstream_st(gradtidy::runtime::StreamKey key) : key(key) {}
  gradtidy::runtime::StreamKey key;
};

namespace gradtidy::runtime {
namespace {

thread_local CudaError lastError = CudaError::Success;

CudaError fail(CudaError error) { return lastError = error; }

/// `wait`, as a call that tells of its failure.
template <class Wait> CudaError told(DeviceIndex device, Wait wait) {
  try {
    wait();
    return CudaError::Success;
  } catch (const Error &) {
    return fail(simulatedFailure(device));
  }
}

/// The current device, whose memory kernels of programs reach.
Accelerator &currentDevice() {
  Accelerator &device = acceleratorOf({kCUDA, cuda::current_device()});
  TORCH_CHECK(isSimulated(device), "kernels of programs are host code here, for simulated devices "
                                   "alone: set GRADTIDY_DEVICE=sim");
  return device;
}

StreamKey keyOf(const CUstream_st *stream) {
  return stream ? stream->key : StreamKey{cuda::current_device(), 0};
}

/// The number of threads of a block, or of blocks of a grid.
std::size_t countOf(const Extent &extent) { return std::size_t{extent.x} * extent.y * extent.z; }

/// Where the i-th of them is.
Extent positionOf(std::size_t i, const Extent &extent) {
  const std::size_t row = i / extent.x;
  return {static_cast<unsigned>(i % extent.x), static_cast<unsigned>(row % extent.y),
          static_cast<unsigned>(row / extent.y)};
}

void runGrid(const LaunchShape &shape, const std::function<void()> &thread) {
  kernelIndex.blockSize = shape.block;
  kernelIndex.gridSize = shape.grid;
  const auto enter = [&](std::size_t i) { kernelIndex.thread = positionOf(i, shape.block); };
  for (std::size_t i = countOf(shape.grid); i-- > 0;) {
    kernelIndex.block = positionOf(i, shape.grid);
    runBlock(countOf(shape.block), enter, thread);
  }
}

} // namespace

const char *errorText(CudaError error) {
  switch (error) {
  case CudaError::Success:
    return "no error";
  case CudaError::InvalidValue:
    return "invalid argument";
  case CudaError::OutOfMemory:
    return "out of memory";
  case CudaError::InvalidConfiguration:
    return "invalid configuration argument";
  case CudaError::InvalidDevice:
    return "invalid device ordinal";
  case CudaError::InvalidHandle:
    return "invalid resource handle";
  case CudaError::IllegalAddress:
    return "an illegal memory access was encountered";
  case CudaError::Assert:
    return "device-side assert triggered";
  }
  return "unknown error";
}

CudaError takeLastError() { return std::exchange(lastError, CudaError::Success); }
CudaError peekLastError() { return lastError; }

CudaError awaitDevice() {
  const DeviceIndex device = cuda::current_device();
  return told(device, [&] { acceleratorOf({kCUDA, device}).synchronize(); });
}

CudaError awaitStream(CUstream_st *stream) {
  const StreamKey key = keyOf(stream);
  return told(key.device, [&] { acceleratorOf({kCUDA, key.device}).mark(key.stream)->wait(); });
}

CudaError chooseDevice(int device) {
  if (device < 0 || static_cast<std::size_t>(device) >= cuda::device_count())
    return fail(CudaError::InvalidDevice);
  cuda::set_device(static_cast<DeviceIndex>(device));
  return CudaError::Success;
}

CudaError getMemory(void **memory, std::size_t bytes) {
  *memory = bytes == 0 ? nullptr : acquireOfSimulated(currentDevice(), bytes);
  return *memory || bytes == 0 ? CudaError::Success : fail(CudaError::OutOfMemory);
}

CudaError giveMemoryBack(void *memory) {
  bool isKnown = true;
  const CudaError error = told(cuda::current_device(), [&] {
    isKnown = !memory || giveBackToSimulated(currentDevice(), memory);
  });
  return isKnown ? error : fail(CudaError::InvalidValue);
}

KernelLaunch::KernelLaunch(const LaunchShape &shape) : shape(shape), device(currentDevice()) {}

void *KernelLaunch::reach(void *memory) {
  if (!device.owns(memory)) {
    isOutOfReach |= memory && !PinnedMemory::instance().owns(memory);
    return memory;
  }
  work.bytes += static_cast<int64_t>(blockSizeOfSimulated(device, memory));
  return device.kernelAddress(memory);
}

CudaError KernelLaunch::whyRefused() const {
  const Extent &grid = shape.grid, &block = shape.block;
  if (countOf(grid) == 0 || countOf(block) == 0 || countOf(block) > 1024 || block.z > 64 ||
      grid.x > 0x7fffffff || grid.y > 0xffff || grid.z > 0xffff)
    return CudaError::InvalidConfiguration;
  if (shape.sharedBytes > std::size_t{48} << 10)
    return CudaError::InvalidValue;
  const DeviceIndex current = cuda::current_device();
  return keyOf(shape.stream).device == current ? simulatedFailure(current)
                                               : CudaError::InvalidHandle;
}

void KernelLaunch::queue(std::function<void()> thread) {
  if (const CudaError error = whyRefused(); error != CudaError::Success) {
    fail(error);
    return;
  }
  const StreamKey key = keyOf(shape.stream);
  launchOnSimulated(device, key.stream, work,
                    [shape = shape, isOutOfReach = isOutOfReach, thread = std::move(thread)] {
                      if (isOutOfReach)
                        throw IllegalAccess();
                      runGrid(shape, thread);
                    });
}

namespace cuda {

CUstream_st *CUDAStream::stream() const {
  Accelerator &accelerator = acceleratorOf(device());
  if (!isSimulated(accelerator)) {
    const CUDAStreamGuard guard(*this);
    return static_cast<CUstream_st *>(accelerator.cudaStream().value());
  }
  static std::mutex mutex;
  static std::map<StreamKey, CUstream_st> handles;
  const std::lock_guard lock(mutex);
  return id() == 0 ? nullptr : &handles.try_emplace(key(), key()).first->second;
}

void checkError(int error) {
  TORCH_CHECK(
      error == 0, "CUDA error: ", errorText(static_cast<CudaError>(error)),
      "\nCUDA kernel errors might be asynchronously reported at some other API call, so the "
      "stacktrace below might be incorrect.\n"
      "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
      "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n");
}

} // namespace cuda
} // namespace gradtidy::runtime
