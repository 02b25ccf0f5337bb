// Backend: what a kind of device must do for the rest of the runtime to run on it.
//
// Operations are written once above this interface. What is a plain function of memory (allocate,
// copy, matrix product) is virtual here; what takes a functor (elementwise maps, reductions) goes
// through ops/kernels/Launch.h, which hands the same functor to the host or to an accelerator.
#pragma once

#include "BlockCache.h"
#include "Device.h"
#include "ScalarType.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace gradtidy::runtime {

class Storage;

/// A matrix in memory: element (i, j) lies at data[i * rowStride + j * columnStride], and that of
/// the next matrix of a batch batchStride elements further.
struct Matrix {
  const void *data;
  int64_t rowStride;
  int64_t columnStride;
  int64_t batchStride = 0;
};

/// What the kernel of a product does beside, in this order. Null pointers stand for nothing.
struct Epilogue {
  enum Function : uint8_t { Identity, Relu, TanhGelu };

  /// n elements that are added to each row.
  const void *bias = nullptr;
  /// What becomes of each element.
  Function function = Identity;
  /// m x n elements: what there was before TanhGelu.
  void *before = nullptr;
  /// The m sums of a's rows or the n sums of b's columns, alone: gradients of a bias, where the
  /// product is that of a weight.
  void *sumsOfFirst = nullptr, *sumsOfSecond = nullptr;

  explicit operator bool() const {
    return bias || function != Identity || sumsOfFirst || sumsOfSecond;
  }
};

/// c = a b for a: m x k, b: k x n, c: m x n in row-major order, all of one type and not empty; for
/// each of a batch.
struct MatrixProduct {
  ScalarType type;
  int64_t batch, m, n, k;
  Matrix a, b;
  void *c;
  Epilogue epilogue = {};
};

/// The convolution that makes of an input (N, C, extents) and a weight (K, C / groups, kernel) an
/// output (N, K, positions), or either of its derivatives, which make one operand of the other two.
/// All are of one type, contiguous and not empty, and begin at multiples of 16 bytes; those that
/// are read are not written.
struct BatchConvolution {
  enum Operand { Output, Input, Weight } wanted;
  ScalarType type;
  std::vector<int64_t> inputSizes, weightSizes, outputSizes;
  std::vector<int64_t> stride, padding, dilation; ///< padding on both sides
  int64_t groups;
  void *input, *weight, *output;
};

class Backend {
public:
  virtual ~Backend() = default;

  /// Memory aligned for any element type; never null. Throws Error when there is not enough.
  virtual void *allocate(std::size_t bytes) = 0;
  virtual void release(void *memory) = 0;
  /// Copies between two blocks of this device that do not overlap.
  virtual void copy(void *to, const void *from, std::size_t bytes) = 0;

  /// False, with nothing done, where it cannot do the epilogue.
  virtual bool multiply(const MatrixProduct &product) = 0;
  /// Whether there are products for which it can.
  virtual bool hasEpilogues() const { return false; }
  /// Whether there is a library for convolutions; convolve() says whether it could do this one.
  virtual bool convolves() const { return false; }
  virtual bool convolve(const BatchConvolution &) { return false; }
};

/// Memory of a device for what its holder queues there in the current stream: the order of the
/// stream protects it when others get it.
class Workspace {
public:
  Workspace(Backend &device, std::size_t bytes) : device(device), memory(device.allocate(bytes)) {}
  ~Workspace() { device.release(memory); }
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;
  void *data() const { return memory; }

private:
  Backend &device;
  void *const memory;
};

/// What a kernel has to do, for the clock of a device that is simulated.
struct Work {
  /// Bytes read and written in the device's memory.
  int64_t bytes = 0;
  /// Floating point operations.
  int64_t operations = 0;
};

/// Work of a stream that was recorded instead of done, and can be done any number of times.
class RecordedWork {
public:
  virtual ~RecordedWork() = default;
  /// Queues it in a stream of its device.
  virtual void replay(StreamId stream) = 0;
};

/// A backend with memory of its own, which works through streams of kernels while the host goes on.
/// All work goes to the stream that the calling thread has made current (core/Cuda.h).
class Accelerator : public Backend {
public:
  /// The address by which kernels reach memory that allocate() gave out.
  virtual void *kernelAddress(void *memory) const { return memory; }
  /// Queues `kernel`, host code that touches this device's memory by kernelAddress alone. A device
  /// that the host only talks to throws, and says that it has no `name`.
  virtual void launch(const char *name, Work work, std::function<void()> kernel) = 0;
  /// Of a device that runs CUDA kernels: its current stream, a cudaStream_t.
  virtual std::optional<void *> cudaStream() { return std::nullopt; }

  /// Copies from the host's memory, of which `host` is the block. Returns when the host may change
  /// that memory; at once where `wait` is false and the block is page-locked.
  virtual void upload(void *to, const std::shared_ptr<Storage> &host, const void *from,
                      std::size_t bytes, bool wait) = 0;
  /// Copies to the host's memory; as above.
  virtual void download(const std::shared_ptr<Storage> &host, void *to, const void *from,
                        std::size_t bytes, bool wait) = 0;
  /// Copies to another device of this kind, in the order of the current streams of both.
  virtual void copyToPeer(Accelerator &peer, void *to, const void *from, std::size_t bytes) = 0;

  /// Whether the device has memory at this address.
  virtual bool owns(const void *memory) const = 0;
  virtual std::unique_ptr<Marker> mark(StreamId stream) = 0;
  /// The same for caches of memory, which ask often: it knows no time, and asking takes none.
  /// Throws while the stream is recorded.
  virtual std::unique_ptr<Marker> fence(StreamId stream) = 0;
  /// Whether all work of a stream is done.
  virtual bool idle(StreamId stream) { return mark(stream)->reached(); }
  /// Waits for the work of all streams.
  virtual void synchronize() = 0;
  /// From here to endRecording() what is queued in a stream is recorded instead, and memory that is
  /// allocated for it is nobody else's as long as the recorded work exists. Throws
  /// NotImplementedError where a device cannot do that.
  virtual void beginRecording(StreamId stream);
  virtual std::unique_ptr<RecordedWork> endRecording(StreamId stream);
  /// Page-locked memory of the host, which no cache keeps; null where there is not enough.
  virtual void *acquirePinned(std::size_t bytes) = 0;
  virtual void giveBackPinned(void *memory) = 0;
  /// Lets `use` see the device's memory while nobody else does.
  virtual void memory(const std::function<void(BlockCache &)> &use) = 0;
};

/// The backend that serves `device`; throws when this build or machine has none.
Backend &backendOf(Device device);
/// The same for a device other than the CPU.
Accelerator &acceleratorOf(Device device);
/// `device` with the index of the current one where it is an accelerator without, and without one
/// where it is the CPU.
Device resolved(Device device);

/// The backend of the host (backends/cpu).
Backend &cpuBackend();

} // namespace gradtidy::runtime
