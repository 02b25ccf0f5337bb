#include "cuda_runtime.h"
#include "runtime/backends/sim/Threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <vector>

// Where all that blocks share lies, if it has a section.
extern char sharedBegin[] __asm__("__start_emulated_shared") __attribute__((weak));
extern char sharedEnd[] __asm__("__stop_emulated_shared") __attribute__((weak));

struct EmulatedGraph {
  std::vector<std::function<void()>> work;
  bool valid = true;
  unsigned long long id = 0;
  cudaStream_t origin = nullptr;
  std::set<cudaStream_t> forked; ///< streams that wait for the captured work of another one,
                                 ///< and for which nobody waits
};
using CapturedGraph = std::shared_ptr<EmulatedGraph>;
struct EmulatedStream {
  int device;
  CapturedGraph captured; ///< null unless it is
};
struct EmulatedEvent {
  std::chrono::steady_clock::time_point when;
  std::size_t before = 0; ///< How much work was queued.
  bool asked = false;
  CapturedGraph captured;        ///< It is part of this graph then,
  cudaStream_t stream = nullptr; ///< by way of this stream.
};

namespace runtime = gradtidy::runtime;

namespace {

constexpr int deviceCount = 2;
constexpr std::size_t pageBytes = 4096;
// What memory holds that nobody has written. In the device's it is no number, which no sum or
// product hides; what blocks share is huge instead, as comparisons would pass over what is none.
constexpr int unwritten = 0xff, unwrittenShared = 0x7f;

thread_local int currentDevice = 0;
std::recursive_mutex mutex; // of all below
std::size_t deviceBytes = std::size_t{2} << 30;
std::set<int> started;
std::set<cudaStream_t> streams;
unsigned long long captures = 0;
bool lastBlockFirst = false;
cudaError_t lastError = cudaSuccess;
bool broken = false; // after a kernel failed nothing works any more
std::atomic<std::size_t> launched = 0;
// Work is done at once, but nobody knows that before having waited for it.
std::atomic<std::size_t> queued = 0, waitedFor = 0;

cudaError_t fail(cudaError_t error) { return lastError = error; }

/// As each call does that needs a device.
void startDevice() {
  std::lock_guard lock(mutex);
  started.insert(currentDevice);
}

/// The memory of a device: pages the host cannot touch unless a kernel runs.
struct Segment {
  int device;
  std::size_t bytes;
};
std::map<char *, Segment> segments;

/// Pages of a segment. Huge ones, where the system has them: whether the host may touch memory
/// changes twice for each kernel, which takes a millisecond for 20 MiB in small ones.
void *mapPages(std::size_t bytes) {
  constexpr std::size_t huge = std::size_t{2} << 20;
  void *mapped =
      mmap(nullptr, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return mapped;
  char *const first = static_cast<char *>(mapped);
  const std::size_t before = (huge - reinterpret_cast<std::uintptr_t>(first) % huge) % huge;
  if (before > 0)
    munmap(first, before);
  munmap(first + before + bytes, huge - before);
  madvise(first + before, bytes, MADV_HUGEPAGE);
  return first + before;
}

void protect(int protection) {
  for (auto &[address, segment] : segments)
    mprotect(address, segment.bytes, protection);
}

/// The segment that `memory` lies in.
auto segmentOf(const void *memory) {
  auto after = segments.upper_bound(static_cast<char *>(const_cast<void *>(memory)));
  if (after == segments.begin())
    return segments.end();
  auto found = std::prev(after);
  return memory < found->first + found->second.bytes ? found : segments.end();
}

std::exception_ptr failure;

[[noreturn]] void wrong(const char *what) {
  std::fprintf(stderr, "emulated CUDA: %s\n", what);
  std::abort();
}

bool sharedWritten = true;
std::size_t sharedBytes() { // none at all are at the same address
  return reinterpret_cast<std::uintptr_t>(sharedEnd) -
         reinterpret_cast<std::uintptr_t>(sharedBegin);
}

/// What a thread throws, an assertion of the kernel, is `failure`.
void runThreads(std::size_t threads, const std::function<void()> &thread) {
  if (sharedWritten && emulator::fillsShared())
    std::memset(sharedBegin, unwrittenShared, sharedBytes());
  const auto enter = [](std::size_t i) { threadIdx.x = static_cast<unsigned>(i); };
  try { // Without barriers nobody has used what is shared.
    sharedWritten = runtime::runBlock(threads, enter, thread, runtime::EarlyEnd::Refused);
  } catch (const runtime::UnevenBarrier &uneven) {
    wrong(uneven.what());
  } catch (...) {
    failure = std::current_exception();
  }
}

} // namespace

void __syncthreads() {
  try {
    runtime::awaitBlock();
  } catch (const runtime::UnevenBarrier &uneven) {
    wrong(uneven.what());
  }
}

namespace emulator {

cudaError_t onDevice(cudaStream_t stream, const std::function<void()> &work) {
  std::lock_guard lock(mutex);
  startDevice();
  if (broken)
    return fail(cudaErrorAssert);
  if (stream && stream->device != currentDevice)
    return fail(cudaErrorInvalidValue);
  if (stream && stream->captured) {
    stream->captured->work.push_back(work);
    return cudaSuccess;
  }
  ++queued;
  protect(PROT_READ | PROT_WRITE);
  work();
  protect(PROT_NONE);
  return cudaSuccess;
}

cudaError_t run(const cudaLaunchConfig_t &shape, const std::function<void()> &thread) {
  const std::size_t threads = shape.blockDim.x;
  if (threads == 0 || threads > 1024 || shape.gridDim.x == 0 || shape.blockDim.y != 1 ||
      shape.blockDim.z != 1 || shape.gridDim.y > 65535 || shape.gridDim.z > 65535 ||
      shape.dynamicSmemBytes != 0)
    return fail(cudaErrorInvalidConfiguration);
  ++launched;
  return onDevice(shape.stream, [shape, thread, threads] {
    failure = nullptr;
    blockDim = shape.blockDim;
    gridDim = shape.gridDim;
    const std::size_t blocks = std::size_t{gridDim.x} * gridDim.y * gridDim.z;
    for (std::size_t i = 0; i < blocks && !failure; ++i) {
      const std::size_t block = lastBlockFirst ? blocks - 1 - i : i, row = block / gridDim.x;
      blockIdx =
          dim3(static_cast<unsigned>(block % gridDim.x), static_cast<unsigned>(row % gridDim.y),
               static_cast<unsigned>(row / gridDim.y));
      runThreads(threads, thread);
    }
    broken = failure != nullptr;
  });
}

std::size_t launches() { return launched; }
bool fillsShared() { return sharedBytes() != 0; }
std::set<int> startedDevices() {
  std::lock_guard lock(mutex);
  return started;
}
void forgetStartedDevices() {
  std::lock_guard lock(mutex);
  started.clear();
}
void setMemory(std::size_t bytes) {
  std::lock_guard lock(mutex);
  deviceBytes = bytes;
}
void setLastBlockFirst(bool reversed) {
  std::lock_guard lock(mutex);
  lastBlockFirst = reversed;
}

} // namespace emulator

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return "no error";
  case cudaErrorMemoryAllocation:
    return "out of memory";
  case cudaErrorInvalidConfiguration:
    return "invalid configuration argument";
  case cudaErrorInvalidDevice:
    return "invalid device ordinal";
  case cudaErrorNotReady:
    return "device not ready";
  case cudaErrorAssert:
    return "device-side assert triggered";
  case cudaErrorCapturedEvent:
    return "operation not permitted on an event last recorded in a capturing stream";
  case cudaErrorStreamCaptureInvalidated:
    return "operation failed due to a previous error during capture";
  case cudaErrorStreamCaptureUnjoined:
    return "capturing stream has unjoined work";
  case cudaErrorStreamCaptureUnsupported:
    return "operation not permitted when stream is capturing";
  default:
    return "invalid argument";
  }
}

cudaError_t cudaGetLastError() { return std::exchange(lastError, cudaSuccess); }

cudaError_t cudaPeekAtLastError() { return lastError; }

cudaError_t cudaGetDeviceCount(int *count) {
  *count = deviceCount;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
  *device = currentDevice;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= deviceCount)
    return fail(cudaErrorInvalidDevice);
  currentDevice = device;
  startDevice();
  return broken ? fail(cudaErrorAssert) : cudaSuccess; // it tells of earlier work
}

namespace {
cudaError_t waitForWork() {
  startDevice();
  waitedFor = queued.load();
  return broken ? fail(cudaErrorAssert) : cudaSuccess;
}
} // namespace

cudaError_t cudaDeviceSynchronize() {
  std::lock_guard lock(mutex);
  bool captured = false;
  for (cudaStream_t stream : streams)
    if (stream->device == currentDevice && stream->captured) {
      stream->captured->valid = false;
      captured = true;
    }
  return captured ? fail(cudaErrorStreamCaptureUnsupported) : waitForWork();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  std::lock_guard lock(mutex);
  startDevice();
  *stream = new EmulatedStream{currentDevice, nullptr};
  streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  std::lock_guard lock(mutex);
  streams.erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (!stream || !stream->captured)
    return waitForWork();
  stream->captured->valid = false;
  return fail(cudaErrorStreamCaptureUnsupported);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (stream && stream->captured)
    return cudaStreamSynchronize(stream);
  const bool done = waitedFor == queued;
  const cudaError_t status = waitForWork();
  return done || status != cudaSuccess ? status : fail(cudaErrorNotReady);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                     unsigned long long *id) {
  startDevice();
  if (!stream || !stream->captured) {
    *status = cudaStreamCaptureStatusNone;
  } else if (!stream->captured->valid) {
    *status = cudaStreamCaptureStatusInvalidated;
  } else {
    *status = cudaStreamCaptureStatusActive;
    *id = stream->captured->id;
  }
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  unsigned long long id = 0;
  return cudaStreamGetCaptureInfo(stream, status, &id);
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (!stream || stream->captured)
    return fail(cudaErrorStreamCaptureUnsupported);
  stream->captured = std::make_shared<EmulatedGraph>();
  stream->captured->id = ++captures;
  stream->captured->origin = stream;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  std::lock_guard lock(mutex);
  if (!stream || !stream->captured || stream->captured->origin != stream)
    return fail(cudaErrorInvalidValue);
  const CapturedGraph captured = stream->captured;
  for (cudaStream_t each : streams)
    if (each->captured == captured)
      each->captured = nullptr;
  *graph = nullptr;
  if (!captured->valid)
    return fail(cudaErrorStreamCaptureInvalidated);
  if (!captured->forked.empty())
    return fail(cudaErrorStreamCaptureUnjoined);
  *graph = new EmulatedGraph(*captured);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *work, cudaGraph_t graph, unsigned long long) {
  *work = new EmulatedGraph(*graph);
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t work, cudaStream_t stream) {
  return emulator::onDevice(stream, [work] {
    for (const auto &each : work->work)
      if (!broken)
        each();
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t work) {
  delete work;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  startDevice();
  *event = new EmulatedEvent;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  startDevice();
  *event = {std::chrono::steady_clock::now(), queued, false, stream ? stream->captured : nullptr,
            stream};
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  startDevice();
  if (broken)
    return fail(cudaErrorAssert);
  if (event->captured)
    return fail(cudaErrorCapturedEvent);
  const bool reached = event->before <= waitedFor || event->asked;
  event->asked = true;
  return reached ? cudaSuccess : fail(cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return event->captured ? fail(cudaErrorCapturedEvent) : waitForWork();
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->when - start->when).count();
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  startDevice();
  if (!event->captured)
    return cudaSuccess;
  if (!stream)
    return fail(cudaErrorStreamCaptureUnsupported);
  if (!stream->captured) {
    stream->captured = event->captured;
    stream->captured->forked.insert(stream);
  } else {
    stream->captured->forked.erase(event->stream);
  }
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, std::size_t bytes) {
  std::lock_guard lock(mutex);
  startDevice();
  std::size_t used = 0;
  for (const auto &[address, segment] : segments)
    used += segment.device == currentDevice ? segment.bytes : 0;
  bytes = (bytes + pageBytes - 1) / pageBytes * pageBytes;
  if (bytes > deviceBytes - std::min(used, deviceBytes))
    return fail(cudaErrorMemoryAllocation);
  void *pages = mapPages(bytes);
  if (pages == MAP_FAILED)
    return fail(cudaErrorMemoryAllocation);
  std::memset(pages, unwritten, bytes);
  mprotect(pages, bytes, PROT_NONE);
  segments[static_cast<char *>(pages)] = {currentDevice, bytes};
  *memory = pages;
  return cudaSuccess;
}
cudaError_t cudaFree(void *memory) {
  std::lock_guard lock(mutex);
  startDevice();
  auto segment = segments.find(static_cast<char *>(memory));
  if (segment == segments.end() || segment->second.device != currentDevice)
    return fail(cudaErrorInvalidValue);
  munmap(memory, segment->second.bytes);
  segments.erase(segment);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **memory, std::size_t bytes, unsigned) {
  startDevice();
  *memory = std::malloc(bytes);
  if (!*memory)
    return fail(cudaErrorMemoryAllocation);
  std::memset(*memory, unwritten, bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void *memory) {
  startDevice();
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *memory) {
  std::lock_guard lock(mutex);
  auto segment = segmentOf(memory);
  if (segment == segments.end())
    *attributes = {cudaMemoryTypeUnregistered, -2};
  else
    *attributes = {cudaMemoryTypeDevice, segment->second.device};
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  std::lock_guard lock(mutex);
  if ((segmentOf(to) != segments.end()) != (kind != cudaMemcpyDeviceToHost) ||
      (segmentOf(from) != segments.end()) != (kind != cudaMemcpyHostToDevice))
    return fail(cudaErrorInvalidValue);
  return emulator::onDevice(stream, [=] { std::memcpy(to, from, bytes); });
}
cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice,
                                std::size_t bytes, cudaStream_t stream) {
  std::lock_guard lock(mutex);
  auto target = segmentOf(to), source = segmentOf(from);
  if (!stream && currentDevice != fromDevice)
    return fail(cudaErrorInvalidValue); // not refused by CUDA, but in the order of another device
  if (target == segments.end() || target->second.device != toDevice || source == segments.end() ||
      source->second.device != fromDevice)
    return fail(cudaErrorInvalidValue);
  return emulator::onDevice(stream, [=] { std::memcpy(to, from, bytes); });
}
