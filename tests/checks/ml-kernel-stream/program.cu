// A program knows which streams it uses: it may use none but the default one.
#include <torch/torch.h>

#include <ATen/cuda/CUDAContext.h>

__global__ void square(const float *x, float *y) {}

void launch_bad(torch::Tensor x, torch::Tensor y) {
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-stream (level 2)
}

int main() {
  torch::Tensor x = torch::ones({256}, torch::kCUDA);
  torch::Tensor y = torch::empty({256}, torch::kCUDA);
  launch_bad(x, y);
}
