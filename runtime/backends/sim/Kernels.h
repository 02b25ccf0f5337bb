// Kernels: those that a program launches itself (toolkit/cuda_runtime.h), on simulated devices.
//
// A kernel is host code. Its threads run when the simulator executes it, not when it is launched:
// blocks one after the other, the last one first, and those of a block as Threads.h says. Pointers
// among its arguments lead into the memory of the device; where they lead elsewhere, the kernel
// fails. The clock counts 2 µs or, if that is more, what it takes to move each block of memory that
// it gets once.
//
// What this cannot show: races between threads that no barrier orders other than by their turns,
// pointers in structures, which are not followed, and what `extern __shared__` asks for.
#pragma once

#include "../../core/Backend.h"
#include "../../core/Cuda.h"

#include <cstddef>
#include <functional>
#include <type_traits>

namespace gradtidy::runtime {

/// CUDA's numbers.
enum class CudaError : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  InvalidConfiguration = 9,
  InvalidDevice = 101,
  InvalidHandle = 400,
  IllegalAddress = 700,
  Assert = 710,
};

/// In CUDA's words.
const char *errorText(CudaError error);

/// Why a launch of this thread was refused, the last time; and forgets that.
CudaError takeLastError();
CudaError peekLastError();
/// Wait for the current device, or for one stream. What its kernels failed of is returned.
CudaError awaitDevice();
CudaError awaitStream(CUstream_st *stream);
CudaError chooseDevice(int device);
/// Memory of the current device, past its cache; and back, when the device has done all its work.
CudaError getMemory(void **memory, std::size_t bytes);
CudaError giveMemoryBack(void *memory);

/// Raised in a kernel.
class IllegalAccess : public Error {
public:
  IllegalAccess() : Error(errorText(CudaError::IllegalAddress)) {}
};

struct Extent {
  unsigned x = 1, y = 1, z = 1;
};

/// Where the running thread of a kernel is.
struct KernelIndex {
  Extent thread, block, blockSize, gridSize;
};
inline thread_local KernelIndex kernelIndex;

/// What stands between <<< and >>>.
struct LaunchShape {
  Extent grid, block;
  std::size_t sharedBytes = 0;
  CUstream_st *stream = nullptr;
};

/// A launch on the current device. One that CUDA would refuse does nothing, and takeLastError()
/// tells.
class KernelLaunch {
public:
  /// Throws where the current device is none that is simulated.
  explicit KernelLaunch(const LaunchShape &shape);

  /// An argument as the kernel gets it.
  template <class T> T argument(T value) {
    if constexpr (std::is_pointer_v<T> && std::is_object_v<std::remove_pointer_t<T>>)
      return static_cast<T>(reach(const_cast<void *>(static_cast<const void *>(value))));
    else
      return value;
  }
  void queue(std::function<void()> thread);

private:
  void *reach(void *memory);
  CudaError whyRefused() const;

  const LaunchShape shape;
  Accelerator &device;
  Work work;
  bool isOutOfReach = false;
};

} // namespace gradtidy::runtime
