// A program that tells the allocator which streams use a tensor.
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/torch.h>

using torch::Tensor;

class Prefetcher {
public:
  Tensor next() {
    auto current = c10::cuda::getCurrentCUDAStream();
    arrived.block(current);
    auto batch = ahead;
    batch.record_stream(current);
    start();
    return batch;
  }

private:
  void start() {
    c10::cuda::CUDAStreamGuard guard(copies);
    ahead = torch::randn({256}).to(torch::kCUDA, /*non_blocking=*/true);
    arrived.record(copies);
  }
  c10::cuda::CUDAStream copies = c10::cuda::getStreamFromPool();
  at::cuda::CUDAEvent arrived;
  Tensor ahead;
};
