// A program that computes on a stream of its own: the default one waits for nothing there.
#include <torch/torch.h>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

__global__ void square(const float *x, float *y) {}

void launch_ok(torch::Tensor x, torch::Tensor y) {
  square<<<1, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>());
}

void launch_bad(torch::Tensor x, torch::Tensor y) {
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-stream (level 1)
}

int main() {
  const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  torch::Tensor x = torch::ones({256}, torch::kCUDA);
  torch::Tensor y = torch::empty({256}, torch::kCUDA);
  launch_ok(x, y);
  launch_bad(x, y);
}
