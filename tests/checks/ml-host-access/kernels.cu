// Memory of the GPU that kernels are given is theirs to read.
#include <torch/torch.h>

#include <ATen/cuda/CUDAContext.h>

__global__ void square(const float *x, float *y, long n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}

template <typename T> __global__ void scale(const T *x, T *y, T factor, long n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = factor * x[i];
}

torch::Tensor squares_ok() {
  torch::Tensor x = torch::randn({1000}, torch::kCUDA);
  torch::Tensor y = torch::empty({1000}, torch::kCUDA);
  square<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}

torch::Tensor pointers_ok() {
  torch::Tensor x = torch::randn({1000}, torch::kCUDA);
  torch::Tensor y = torch::empty({1000}, torch::kCUDA);
  const float *from = x.data_ptr<float>();
  float *to = y.data_ptr<float>();
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  square<<<dim3(4), dim3(256), 0, stream>>>(from, to, x.numel());
  return y;
}

torch::Tensor templates_ok() {
  torch::Tensor x = torch::randn({1000}, torch::kCUDA);
  torch::Tensor y = torch::empty({1000}, torch::kCUDA);
  const auto launch = [&] {
    scale<float><<<1, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), 2.0f, x.numel());
  };
  launch();
  return y;
}

float sum_bad() {
  torch::Tensor x = torch::randn({1000}, torch::kCUDA);
  torch::Tensor y = torch::empty({1000}, torch::kCUDA);
  square<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  const float *values = y.data_ptr<float>(); // expect: ml-host-access (no fix)
  float sum = 0;
  for (int i = 0; i < 1000; ++i)
    sum += values[i];
  return sum;
}

// Where the options say so, the tensor is certainly there.
const auto onGpu = torch::TensorOptions().dtype(torch::kFloat32).device(torch::kCUDA);
torch::Tensor with_options_ok() {
  torch::Tensor y = torch::empty({1000}, onGpu);
  square<<<4, 256, 0, at::cuda::getCurrentCUDAStream()>>>(y.data_ptr<float>(), y.data_ptr<float>(),
                                                          y.numel());
  return y;
}
