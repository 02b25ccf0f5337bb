// CUDA graphs: work that is recorded once and then launched as a whole, which takes the host a
// single call instead of one for each kernel.
#pragma once

#include "Cuda.h"
#include "Tensor.h"

#include <memory>

namespace gradtidy::runtime {

class RecordedWork;

namespace cuda {

/// The work of a stream between capture_begin() and capture_end(), which do not do it, and that of
/// others which wait for events of it and for which it waits. It works on
/// the same memory each time, so inputs must be copied into the tensors that it has seen, and what
/// it allocated keeps its place until reset(). Random numbers are new in each replay. All else that
/// the host computed meanwhile stays as it was, learning rates for example; what the host waits for
/// (item(), copies to it) cannot be captured.
class CUDAGraph {
public:
  CUDAGraph();
  CUDAGraph(CUDAGraph &&) = delete;
  ~CUDAGraph();

  /// Begins to record the current stream, which must not be the default one. Throws
  /// NotImplementedError where the device is simulated.
  void capture_begin();
  void capture_end();
  /// Queues the work in the current stream.
  void replay();
  void reset();

private:
  std::optional<CUDAStream> stream;
  Tensor replays;
  std::unique_ptr<RecordedWork> work;
};

/// While a graph is captured on this thread: a counter in the device's memory that tells its
/// replays apart. Null otherwise.
const int64_t *replayCounter();

} // namespace cuda
} // namespace gradtidy::runtime
