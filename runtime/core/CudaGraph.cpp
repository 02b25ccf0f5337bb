#include "CudaGraph.h"
#include "../autograd/GradMode.h"
#include "../ops/Factories.h"
#include "../ops/kernels/Launch.h"
#include "Backend.h"

#include <utility>

namespace gradtidy::runtime {

void Accelerator::beginRecording(StreamId) {
  throw NotImplementedError("CUDA graphs need a real device: GRADTIDY_DEVICE=cuda");
}
std::unique_ptr<RecordedWork> Accelerator::endRecording(StreamId) {
  fail("no work of a simulated device is recorded");
}

namespace cuda {
namespace {

thread_local const int64_t *counter = nullptr;

} // namespace

CUDAGraph::CUDAGraph() = default;
CUDAGraph::~CUDAGraph() { reset(); }

void CUDAGraph::capture_begin() {
  TORCH_CHECK(!stream, "This CUDAGraph instance already owns a captured graph. To capture a new "
                       "graph, create a new instance.");
  TORCH_CHECK(!counter, "a CUDA graph is being captured already");
  const CUDAStream current = getCurrentCUDAStream();
  TORCH_CHECK(current.id() != 0,
              "CUDA graphs must be captured on a non-default stream. (However, after capture, it's "
              "ok to replay them on the default stream.)");
  replays = zeros({1}, TensorOptions(current.device()).dtype(kLong));
  acceleratorOf(current.device()).beginRecording(current.id());
  stream = current;
  counter = kernelData<int64_t>(replays);
  NoGradGuard guard;
  replays.add_(1);
}

void CUDAGraph::capture_end() {
  TORCH_CHECK(stream && !work, "no CUDA graph is being captured");
  counter = nullptr;
  const CUDAStream recorded = *std::exchange(stream, std::nullopt); // so no failure ends it twice
  work = acceleratorOf(recorded.device()).endRecording(recorded.id());
  stream = recorded;
}

void CUDAGraph::replay() {
  TORCH_CHECK(work, "Called CUDAGraph::replay without a preceding successful capture.");
  CUDAGuard guard(stream->device());
  work->replay(getCurrentCUDAStream().id());
  replays.record_stream(getCurrentCUDAStream()); // which may still count when this is reset
}

void CUDAGraph::reset() {
  if (stream && !work) { // left in the middle of a capture
    counter = nullptr;
    try {
      acceleratorOf(stream->device()).endRecording(stream->id());
    } catch (const Error &) {
      // What went wrong has ended the capture, too, and destructors call this.
    }
  }
  work.reset();
  stream.reset();
  replays = Tensor();
}

const int64_t *replayCounter() { return counter; }

} // namespace cuda
} // namespace gradtidy::runtime
