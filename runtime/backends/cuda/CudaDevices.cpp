#include "CudaDevices.h"
#include "../../core/Cuda.h"
#include "../../core/Generator.h"
#include "../../core/Storage.h"
#include "CublasLt.h"
#include "Cuda.cuh"
#include "CudaProduct.h"
#include "Cudnn.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace gradtidy::runtime {
namespace {

// To make a device current starts it, which takes some hundred megabytes of its memory and fails
// where another process has it alone. In a new thread the first device is current, and started by
// any call that needs one: so all calls say their device, and none goes back to that one.
thread_local int deviceOfThread = -1; ///< which we have made current
std::atomic<int> startedDevice = -1;  ///< one of those

void makeCurrent(int device) {
  checkCuda(cudaSetDevice(device));
  deviceOfThread = startedDevice = device;
}

/// Makes a device current for the calls in its scope.
class OnDevice {
public:
  explicit OnDevice(int device) : before(deviceOfThread) { makeCurrent(device); }
  ~OnDevice() {
    if (before >= 0 && cudaSetDevice(before) == cudaSuccess)
      deviceOfThread = before;
  }

private:
  const int before;
};

/// For calls that any device serves.
int anyDevice() { return startedDevice >= 0 ? startedDevice.load() : cuda::current_device(); }

/// The memory that get(&memory) asks the driver for; null where there is not enough.
template <class Get> void *orNull(Get get) {
  void *memory = nullptr;
  cudaError_t status = get(&memory);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError(); // or the next call would report it
    return nullptr;
  }
  checkCuda(status);
  return memory;
}

/// What a query of an event or a stream says.
bool isDone(cudaError_t status) {
  if (status == cudaErrorNotReady) {
    cudaGetLastError(); // it counts as an error, too
    return false;
  }
  checkCuda(status);
  return true;
}

class CudaMarker final : public Marker {
public:
  CudaMarker(int device, cudaStream_t stream, unsigned flags = cudaEventDefault) : device(device) {
    OnDevice guard(device);
    checkCuda(cudaEventCreateWithFlags(&event, flags));
    checkCuda(cudaEventRecord(event, stream));
  }
  ~CudaMarker() override { cudaEventDestroy(event); }

  bool reached() override {
    OnDevice guard(device);
    return isDone(cudaEventQuery(event));
  }
  void wait() override {
    OnDevice guard(device);
    checkCuda(cudaEventSynchronize(event));
  }
  void block(DeviceIndex other, StreamId stream) override;
  double millisecondsTo(Marker &later) override {
    OnDevice guard(device);
    float milliseconds = 0;
    checkCuda(cudaEventElapsedTime(&milliseconds, event, static_cast<CudaMarker &>(later).event));
    return milliseconds;
  }

private:
  const int device;
  cudaEvent_t event = nullptr;
};

class CudaRecordedWork final : public RecordedWork {
public:
  /// `memory` holds what the work uses beside tensors.
  CudaRecordedWork(int device, cudaGraph_t graph, std::shared_ptr<void> memory)
      : device(device), memory(std::move(memory)) {
    const cudaError_t status = cudaGraphInstantiate(&work, graph, 0);
    cudaGraphDestroy(graph);
    checkCuda(status);
  }
  ~CudaRecordedWork() override { cudaGraphExecDestroy(work); }
  void replay(StreamId stream) override;

private:
  const int device;
  std::shared_ptr<void> memory;
  cudaGraphExec_t work = nullptr;
};

class CudaDevice final : public Accelerator, private MemoryDriver {
public:
  explicit CudaDevice(DeviceIndex index) : index(index), cache(*this) {}

  void *allocate(std::size_t bytes) override {
    std::lock_guard lock(mutex);
    OnDevice guard(index);
    void *memory = cache.allocate(bytes, keyOfCurrentStream());
    if (!memory)
      throw OutOfMemoryError(concat("CUDA out of memory. Tried to allocate ", bytes, " bytes."));
    return memory;
  }
  void release(void *memory) override {
    std::lock_guard lock(mutex);
    cache.release(memory);
  }
  void copy(void *to, const void *from, std::size_t bytes) override {
    OnDevice guard(index);
    checkCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream(currentStream())));
  }
  bool multiply(const MatrixProduct &product) override {
    OnDevice guard(index);
    std::call_once(blasMade, [&] { blas = std::make_unique<CublasLt>(); });
    cudaStream_t queue = stream(currentStream());
    if (blas->multiply(product, *this, queue))
      return true;
    if (product.epilogue)
      return false;
    multiplyByThreads(product, queue);
    return true;
  }
  bool hasEpilogues() const override { return true; }
#if defined(GRADTIDY_CUDNN)
  bool convolves() const override { return globalContext().userEnabledCuDNN(); }
  bool convolve(const BatchConvolution &convolution) override {
    OnDevice guard(index);
    std::call_once(dnnMade, [&] { dnn = std::make_unique<Cudnn>(); });
    return dnn->convolve(convolution, *this, stream(currentStream()));
  }
#endif

  void launch(const char *name, Work, std::function<void()>) override {
    throw NotImplementedError(
        concat("Could not run 'aten::", name,
               "' with arguments from the 'CUDA' backend: the "
               "runtime has no kernel for it. GRADTIDY_DEVICE=sim has all operations."));
  }
  std::optional<void *> cudaStream() override {
    makeCurrent(index); // the caller launches its kernel there
    return stream(currentStream());
  }

  void upload(void *to, const std::shared_ptr<Storage> &host, const void *from, std::size_t bytes,
              bool wait) override {
    transfer(wait || !host->isPinned(), to, from, bytes, cudaMemcpyHostToDevice);
  }
  void download(const std::shared_ptr<Storage> &host, void *to, const void *from, std::size_t bytes,
                bool wait) override {
    transfer(wait || !host->isPinned(), to, from, bytes, cudaMemcpyDeviceToHost);
  }
  void copyToPeer(Accelerator &peer, void *to, const void *from, std::size_t bytes) override {
    auto &other = static_cast<CudaDevice &>(peer);
    OnDevice guard(index); // whose default stream it may be
    other.mark(other.currentStream())->block(index, currentStream());
    checkCuda(cudaMemcpyPeerAsync(to, other.index, from, index, bytes, stream(currentStream())));
    mark(currentStream())->block(other.index, other.currentStream());
  }

  bool owns(const void *memory) const override {
    cudaPointerAttributes attributes{};
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
           attributes.type == cudaMemoryTypeDevice && attributes.device == index;
  }
  std::unique_ptr<Marker> mark(StreamId id) override {
    return std::make_unique<CudaMarker>(index, stream(id));
  }
  std::unique_ptr<Marker> fence(StreamId id) override {
    OnDevice guard(index);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    checkCuda(cudaStreamIsCapturing(stream(id), &status));
    TORCH_CHECK(status == cudaStreamCaptureStatusNone, "recorded work is never done");
    return std::make_unique<CudaMarker>(index, stream(id), cudaEventDisableTiming);
  }
  bool idle(StreamId id) override {
    OnDevice guard(index);
    return isDone(cudaStreamQuery(stream(id)));
  }
  void *acquirePinned(std::size_t bytes) override {
    OnDevice guard(anyDevice());
    return orNull(
        [&](void **memory) { return cudaHostAlloc(memory, bytes, cudaHostAllocPortable); });
  }
  void giveBackPinned(void *memory) override {
    OnDevice guard(anyDevice());
    checkCuda(cudaFreeHost(memory));
  }
  void synchronize() override {
    OnDevice guard(index);
    checkCuda(cudaDeviceSynchronize());
  }
  void beginRecording(StreamId id) override {
    OnDevice guard(index);
    std::shared_ptr<Keys> keys(new Keys, [this](Keys *keys) { // must not throw
      std::lock_guard lock(mutex);
      for (const auto &[stream, key] : *keys)
        cache.letGo(key);
      delete keys;
    });
    std::lock_guard lock(mutex);
    cache.clear(); // it cannot be later, and what is recorded gets none of its blocks
    // Memory may be asked for meanwhile: that is no work of the stream.
    checkCuda(cudaStreamBeginCapture(stream(id), cudaStreamCaptureModeRelaxed));
    recording[id] = {captureOf(id), std::move(keys)};
  }
  std::unique_ptr<RecordedWork> endRecording(StreamId id) override {
    OnDevice guard(index);
    std::shared_ptr<void> memory;
    {
      std::lock_guard lock(mutex);
      memory = std::move(recording.extract(id).mapped().keys);
    }
    cudaGraph_t graph = nullptr;
    checkCuda(cudaStreamEndCapture(stream(id), &graph));
    return std::make_unique<CudaRecordedWork>(index, graph, std::move(memory));
  }
  void memory(const std::function<void(BlockCache &)> &use) override {
    std::lock_guard lock(mutex);
    use(cache);
  }

  StreamId currentStream() const { return cuda::getCurrentCUDAStream(index).id(); }
  cudaStream_t stream(StreamId id) {
    std::lock_guard lock(streamsMutex);
    cudaStream_t &stream = streams.at(static_cast<std::size_t>(id));
    if (id != 0 && !stream) {
      OnDevice guard(index);
      checkCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    return stream;
  }

private:
  void *acquire(std::size_t bytes) override {
    return orNull([&](void **segment) { return cudaMalloc(segment, bytes); });
  }
  void giveBack(void *segment, std::size_t) override {
    OnDevice guard(index);
    checkCuda(cudaFree(segment));
  }
  bool waitForDevice() override {
    if (!recording.empty()) // it would be an error, and the end of what is recorded
      return false;
    OnDevice guard(index);
    checkCuda(cudaDeviceSynchronize());
    return true;
  }
  std::unique_ptr<Marker> mark(StreamKey stream) override {
    return acceleratorOf({kCUDA, stream.device}).fence(stream.stream);
  }

  /// The capture that a stream is part of; none, or one that has failed, has no number.
  std::optional<unsigned long long> captureOf(StreamId id) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long number = 0;
    checkCuda(cudaStreamGetCaptureInfo(stream(id), &status, &number));
    return status == cudaStreamCaptureStatusActive ? std::optional(number) : std::nullopt;
  }
  StreamKey keyOfCurrentStream() {
    const StreamId current = currentStream();
    if (!recording.empty())
      if (const auto capture = captureOf(current))
        for (auto &[begun, recorded] : recording)
          if (recorded.capture == capture) {
            const auto [key, isNew] = recorded.keys->try_emplace(current, index, lastRecorded - 1);
            if (isNew) {
              --lastRecorded;
              cache.keep(key->second);
            }
            return key->second;
          }
    return {index, current};
  }

  /// CUDA promises to have waited for memory that is not page-locked on some machines only.
  void transfer(bool wait, void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
    OnDevice guard(index);
    cudaStream_t queue = stream(currentStream());
    checkCuda(cudaMemcpyAsync(to, from, bytes, kind, queue));
    if (wait)
      checkCuda(cudaStreamSynchronize(queue));
  }

  const DeviceIndex index;
  std::mutex mutex; // of the cache and what is recorded
  BlockCache cache;
  /// As whose memory the cache sees what recorded streams allocate: for each a stream of its own,
  /// which no other work is queued in.
  using Keys = std::map<StreamId, StreamKey>;
  struct Recording {
    std::optional<unsigned long long> capture;
    std::shared_ptr<Keys> keys;
  };
  /// By the streams in which they began; others join by waiting for events.
  std::map<StreamId, Recording> recording;
  StreamId lastRecorded = 0;
  std::once_flag blasMade;
  std::unique_ptr<CublasLt> blas;
#if defined(GRADTIDY_CUDNN)
  std::once_flag dnnMade;
  std::unique_ptr<Cudnn> dnn;
#endif
  std::mutex streamsMutex; // held alone: other devices ask for streams while theirs are locked
  std::array<cudaStream_t, 33> streams{}; // the default one and those of the pool
};

void CudaMarker::block(DeviceIndex other, StreamId stream) {
  auto &blocked = static_cast<CudaDevice &>(acceleratorOf({kCUDA, other}));
  OnDevice guard(other);
  checkCuda(cudaStreamWaitEvent(blocked.stream(stream), event));
}

void CudaRecordedWork::replay(StreamId stream) {
  auto &owner = static_cast<CudaDevice &>(acceleratorOf({kCUDA, static_cast<DeviceIndex>(device)}));
  OnDevice guard(device);
  checkCuda(cudaGraphLaunch(work, owner.stream(stream)));
}

} // namespace

std::vector<std::unique_ptr<Accelerator>> makeCudaDevices() {
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  TORCH_CHECK(status == cudaSuccess && count > 0,
              "GRADTIDY_DEVICE=cuda, but there is no device: ", cudaGetErrorString(status));
  std::vector<std::unique_ptr<Accelerator>> devices;
  for (int i = 0; i < count; ++i)
    devices.push_back(std::make_unique<CudaDevice>(static_cast<DeviceIndex>(i)));
  return devices;
}

} // namespace gradtidy::runtime
