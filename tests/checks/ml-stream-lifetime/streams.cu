// Tensors that are made on one stream and used on another.
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/torch.h>

#include <vector>

using torch::Tensor;

// --- right ---------------------------------------------------------------------------------------

// The stream that the batch is made on waits for what reads the one before it.
class Waiting {
public:
  Tensor next() {
    arrived.block(c10::cuda::getCurrentCUDAStream());
    auto batch = ahead;
    read.record(c10::cuda::getCurrentCUDAStream());
    start();
    return batch;
  }

private:
  void start() {
    read.block(copies);
    c10::cuda::CUDAStreamGuard guard(copies);
    ahead = torch::randn({256}).to(torch::kCUDA, /*non_blocking=*/true);
    arrived.record(copies);
  }
  c10::cuda::CUDAStream copies = c10::cuda::getStreamFromPool();
  at::cuda::CUDAEvent arrived, read;
  Tensor ahead;
};

// So does the host.
class Synchronous {
public:
  Tensor next() {
    at::cuda::CUDAStream current = c10::cuda::getCurrentCUDAStream();
    auto batch = ahead.mul(2);
    current.synchronize();
    start();
    return batch;
  }

private:
  void start() {
    c10::cuda::CUDAStreamGuard guard(copies);
    ahead = torch::randn({256}).to(torch::kCUDA, /*non_blocking=*/true);
  }
  c10::cuda::CUDAStream copies = c10::cuda::getStreamFromPool();
  Tensor ahead;
};

// The stream is the one that everything is on.
class Current {
public:
  Tensor next() {
    auto batch = ahead;
    start();
    return batch;
  }

private:
  void start() {
    c10::cuda::CUDAStreamGuard guard(c10::cuda::getDefaultCUDAStream());
    ahead = torch::randn({256}).to(torch::kCUDA, /*non_blocking=*/true);
  }
  Tensor ahead;
};

// What is made there is used there.
void within_ok(const std::vector<Tensor> &batches, Tensor &total) {
  auto side = c10::cuda::getStreamFromPool();
  for (const Tensor &batch : batches) {
    c10::cuda::CUDAStreamGuard guard(side);
    Tensor copy = batch.to(torch::kCUDA, /*non_blocking=*/true);
    total.add_(copy.sum());
  }
}

// Nothing else is made there.
int main() {
  auto side = c10::cuda::getStreamFromPool();
  at::cuda::CUDAEvent arrived;
  Tensor weights;
  {
    c10::cuda::CUDAStreamGuard guard(side);
    weights = torch::randn({256}).to(torch::kCUDA, /*non_blocking=*/true);
    arrived.record(side);
  }
  arrived.block(c10::cuda::getCurrentCUDAStream());
  auto norm = weights.norm();
}

// --- wrong ---------------------------------------------------------------------------------------

class Prefetcher {
public:
  Prefetcher() : copies(c10::cuda::getStreamFromPool()) {}
  Tensor next() {
    arrived.block(c10::cuda::getCurrentCUDAStream());
    auto batch = ahead; // expect: ml-stream-lifetime: 'ahead' lies in memory of another stream, which may write to it as soon as the tensor ends
    start();
    return batch;
  }

private:
  void start() {
    c10::cuda::CUDAStreamGuard guard(copies); // note: on the stream that is the current one from here on
    ahead = torch::randn({256}).to(torch::kCUDA, /*non_blocking=*/true); // note: it is made here
    arrived.record(copies);
  }
  c10::cuda::CUDAStream copies;
  at::cuda::CUDAEvent arrived;
  Tensor ahead;
};

void local_bad(const std::vector<Tensor> &batches, Tensor &total) {
  const auto side = at::cuda::getStreamFromPool();
  at::cuda::CUDAEvent arrived;
  for (const Tensor &batch : batches) {
    Tensor copy;
    {
      at::cuda::CUDAStreamGuard guard(side); // note: on the stream that is the current one from here on
      copy = batch.to(torch::kCUDA, /*non_blocking=*/true); // note: it is made here
      arrived.record(side);
    }
    arrived.block(at::cuda::getCurrentCUDAStream());
    total.add_(copy.sum()); // expect: ml-stream-lifetime: 'copy'
  }
}
