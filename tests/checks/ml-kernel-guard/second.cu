// A program that computes on another GPU than the first, which is the current one.
#include <torch/torch.h>

#include <cuda_runtime.h>

__global__ void square(const float *x, float *y) {}

static void squared_bad(torch::Tensor x, torch::Tensor y) {
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-guard (no fix) (level 1)
}

static void squared_ok(torch::Tensor x, torch::Tensor y) {
  cudaSetDevice(1);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
}

int main() {
  const torch::Device second(torch::kCUDA, 1);
  auto x = torch::ones({256}, second), y = torch::empty({256}, second);
  squared_bad(x, y);
  squared_ok(x, y);
}
