// A kernel has to run on the stream in whose order its tensors are computed.
#include <torch/torch.h>

#include <ATen/cuda/CUDAContext.h>

// As in LibTorch: for each type the same text, in a closure that is called at once.
#define DISPATCH(TYPE, ...)                                                                        \
  [&] {                                                                                            \
    if (TYPE)                                                                                      \
      return [&] {                                                                                 \
        using scalar_t = float;                                                                    \
        return __VA_ARGS__();                                                                      \
      }();                                                                                         \
    using scalar_t = double;                                                                       \
    return __VA_ARGS__();                                                                          \
  }()

template <typename T> __global__ void square(const T *x, T *y) {
  y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}

__global__ void half(torch::PackedTensorAccessor32<float, 1> x) {}
__global__ void count(int *numbers) {}

torch::Tensor current_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  square<<<1, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>());
  square<<<1, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(),
                                                          y.data_ptr<float>());
  return y;
}

torch::Tensor given_ok(torch::Tensor x, cudaStream_t stream) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

// No tensor has anything to do with it.
void ofOthers_ok(int *numbers) { count<<<1, 256>>>(numbers); }

torch::Tensor missing_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-stream: default stream
  return y;
}

torch::Tensor withMemory_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256, 1024>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-stream
  return y;
}

torch::Tensor null_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  const float *from = x.data_ptr<float>();
  float *to = y.data_ptr<float>();
  square<<<1, 256, 0, nullptr>>>(from, to); // expect: ml-kernel-stream
  return y;
}

void accessor_bad(torch::Tensor x) {
  half<<<1, 256>>>(x.packed_accessor32<float, 1>()); // expect: ml-kernel-stream
}

/// Said once.
torch::Tensor several_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-stream
  square<<<1, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(),
                                                          y.data_ptr<float>());
  square<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>()); // note: 1 more of this function
  return y;
}

torch::Tensor dispatched_bad(torch::Tensor x, bool isFloat) {
  torch::Tensor y = torch::zeros_like(x);
  DISPATCH(isFloat, ([&] {
             square<scalar_t><<<1, 256>>>( // expect: ml-kernel-stream
                 x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>());
           }));
  return y;
}

static void launch_on(cudaStream_t stream, const float *from, float *to) {
  square<<<1, 256, 0, stream>>>(from, to);
}

torch::Tensor handed_current_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  launch_on(stream, x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor zero_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  const cudaStream_t stream = 0;
  launch_on(stream, x.data_ptr<float>(), // expect: ml-kernel-stream (no fix): given the default stream
            y.data_ptr<float>());
  return y;
}

torch::Tensor pool_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  const auto stream = at::cuda::getStreamFromPool();
  square<<<1, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-stream (no fix): a stream of the pool
  return y;
}

torch::Tensor pool_handed_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  auto stream = at::cuda::getStreamFromPool();
  launch_on(stream, x.data_ptr<float>(), // expect: ml-kernel-stream (no fix): a stream of the pool
            y.data_ptr<float>());
  return y;
}

torch::Tensor pool_ok(torch::Tensor x) {
  cudaDeviceSynchronize();
  torch::Tensor y = torch::zeros_like(x);
  const auto stream = at::cuda::getStreamFromPool();
  square<<<1, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>());
  cudaDeviceSynchronize();
  return y;
}
